import type { Located } from "../../hive/locate.ts"
import { TAKE_OUT, trackedHive } from "../../project/git/tracked-hive.ts"
import { counted } from "../../shared/amounts.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { type Check, ok, warning } from "./check.ts"

/** A repository has one hive; others in it, from before or made by another version, are read by nobody. */
export async function checkHives({ home, nested }: Located): Promise<Check> {
  if (nested.length === 0) return ok("hives", "one, as it should be")
  const fromGit = new Set<string>()
  for (const folder of nested)
    if ((await trackedHive({ home: folder, dir: folder })).length > 0) fromGit.add(folder)
  const mend =
    "Move it out of the repository to look into it, or delete it: `hivemind uninstall --purge --dir <folder>`." +
    (fromGit.size === 0 ? "" : ` Where git has it, there: ${TAKE_OUT}`)
  return warning(
    "hives",
    mend,
    `the hive of this repository is in ${home}; there are others that should be one with it:`,
    ...nested.map((folder) => `${folder}${fromGit.has(folder) ? " (git has it on the branch there)" : ""}`),
  )
}

/** A committed `.hivemind/` changes with every switch of branches. */
export async function checkInGit(place: Located): Promise<Check> {
  const tracked = await trackedHive(place)
  if (tracked.length === 0) return ok("git", `has nothing of ${HIVE_FOLDER}/`)
  const mend = `Take them out, on each branch that is still worked on; the files stay where they are: ${TAKE_OUT}`
  const lines = tracked.map(
    ({ folder, files }) =>
      `has ${counted(files, "file")} of ${HIVE_FOLDER}/ on the present branch in ${folder}`,
  )
  return warning("git", mend, ...lines)
}
