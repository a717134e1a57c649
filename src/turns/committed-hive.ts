import { sessionOf } from "../graph/read-head.ts"
import { keepOutOfGit } from "../hive/git-index.ts"
import { TAKE_OUT, trackedHive } from "../project/git/tracked-hive.ts"
import { onceEach } from "../shared/once-each.ts"
import type { TurnInput } from "./turn-input.ts"

/**
 * Keeps the hive out of git, and tells the person once a session where git has it. After a turn: starting git would
 * slow the first answer down.
 */
export function committedHive({ hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">) {
  const isFirst = onceEach()

  return async (session: string): Promise<void> => {
    const opened = await hive()
    // A branch may have brought an old `.gitignore`, or taken ours away.
    keepOutOfGit(opened.home)
    if (sessionOf(opened.store.read().state, session)?.parent_host_id || !isFirst(session)) return
    const [tracked] = await trackedHive(opened)
    if (tracked === undefined) return
    log("info", `git has ${tracked.files} file(s) of the hive in ${tracked.folder}`)
    await toast(`Git has HiveMind's files on this branch. They stay when you take them out: ${TAKE_OUT}`)
  }
}
