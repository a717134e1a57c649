import type { HivePlace } from "../../hive/locate.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { askGit } from "./git.ts"

/** How many files of `.hivemind/` git has on the present branch, by worktree; HiveMind 0.1 had people commit them. */
export async function trackedHive({ home, dir }: HivePlace): Promise<{ folder: string; files: number }[]> {
  const folders = [...new Set([home, dir])]
  const counts = await Promise.all(
    folders.map(async (folder) => {
      const names = await askGit(folder, ["ls-files", "-z", "--", HIVE_FOLDER])
      return { folder, files: (names ?? "").split("\0").length - 1 }
    }),
  )
  return counts.filter(({ files }) => files > 0)
}

/** How a person takes it out of git. The files stay where they are. */
export const TAKE_OUT = `git rm -r -q --cached ${HIVE_FOLDER} && git commit -m "Take ${HIVE_FOLDER} out of git"`
