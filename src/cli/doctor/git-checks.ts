import { recordNames } from "../../graph/record-names.ts"
import { emptyState, recordsOf } from "../../graph/state.ts"
import type { Located } from "../../hive/locate.ts"
import { TAKE_OUT, trackedHive } from "../../project/git/tracked-hive.ts"
import { counted } from "../../shared/amounts.ts"
import { runInSlices } from "../../shared/slices.ts"
import { HIVE_FOLDER, hivePaths } from "../../store/files/layout.ts"
import type { Store } from "../../store/store.ts"
import { findLeftovers } from "../../store/upgrade/leftovers.ts"
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

/** HiveMind 0.1 had people commit `.hivemind/`. Then git changes it with every switch of branches. */
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

/** What a branch has brought of version 0.1, and whether anybody has gone on working in it. */
export async function checkLeftovers(home: string, store: Store): Promise<Check> {
  const { state } = store.read()
  const logged = new Set<string>()
  const { files, records } = await runInSlices(findLeftovers(hivePaths(home)))
  if (files.length === 0) return ok("old files", "none")
  for (const { ops } of await store.log())
    for (const op of ops) if ("kind" in op) logged.add(op.op === "add" ? op.record.id : op.id)
  const names = recordNames(emptyState())
  const beyond = records.filter(({ kind, record }) => {
    names.follow({ op: "add", kind, record } as Parameters<typeof names.follow>[0])
    const ours = recordsOf(state, kind).get(record.id)
    if (ours === undefined) return !store.archive.has(record.id) && !logged.has(record.id)
    return "updated_at" in ours && "updated_at" in record && ours.updated_at < record.updated_at
  })
  const line = `git has brought ${counted(files.length, "file")} of version 0.1 back; nothing reads them`
  if (beyond.length === 0) return ok("old files", line)
  const shown = beyond.slice(0, MAX_SHOWN).map(({ kind, record }) => names.nameOf(kind, record.id))
  return warning(
    "old files",
    "Somebody works with version 0.1 on this branch: update it there. What you need of these, save it again.",
    `${line}, and ${counted(beyond.length, "record")} in them are not in the hive, or older in it:`,
    ...shown,
    ...(beyond.length > shown.length ? [`and ${beyond.length - shown.length} more`] : []),
  )
}

const MAX_SHOWN = 5
