import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import { counted } from "../shared/amounts.ts"
import { shorten } from "../shared/text/clean.ts"
import { callText } from "../shared/tool-names.ts"
import type { Log } from "../store/files/log-file.ts"
import { governanceFor } from "../work/session/governance.ts"
import { lockHolder } from "../work/task/file-locks.ts"

/**
 * What has changed and should not have: it cannot be unmade, but the model and the user are told, by file. A model is
 * told with its next result; what came to light after its last call waits for the next one.
 */
export function changeNotes(toast: (message: string) => Promise<void>, log: Log) {
  const waiting = new Map<string, string[]>()

  function about(
    opened: Hive,
    session: string,
    changed: readonly string[],
    task: Task | undefined,
  ): string[] {
    const { state } = opened.store.read()
    const { mode } = governanceFor(state, opened.config, session)
    const notes = mode === "off" ? [] : notesOn(opened, changed, task, mode === "strict")
    for (const note of notes)
      toast(note).catch((error: unknown) => log("info", "could not show toast", error))
    const before = waiting.get(session) ?? []
    waiting.delete(session)
    return [...before, ...notes]
  }

  return {
    about,
    /** The turn is over: the model hears of it with the next. */
    later(opened: Hive, session: string, changed: readonly string[], task: Task | undefined): void {
      const notes = about(opened, session, changed, task)
      if (notes.length > 0) waiting.set(session, notes.slice(-MAX_WAITING))
    },
  }
}

export type ChangeNotes = ReturnType<typeof changeNotes>

function notesOn(
  opened: Hive,
  changed: readonly string[],
  task: Task | undefined,
  isStrict: boolean,
): string[] {
  const notes: string[] = []
  if (changed.length > 0 && task === undefined && isStrict)
    notes.push(
      `HiveMind: ${listed(changed)} changed, and no task covers it. Start the task it belongs to (${callText("task", "start")}), or take it back.`,
    )
  for (const [holder, files] of lockedBy(opened, changed, task))
    notes.push(
      `HiveMind: ${listed(files)} changed, which "${shorten(holder, 80)}" has locked. Take it back, or tell the user.`,
    )
  return notes
}

function lockedBy(
  { store, dir }: Hive,
  changed: readonly string[],
  task: Task | undefined,
): Map<string, string[]> {
  const { state } = store.read()
  const found = new Map<string, string[]>()
  for (const path of changed.slice(0, MAX_ASKED)) {
    const holder = lockHolder((index, key) => state.task.by(index, key), path, task?.id, dir)
    if (holder !== undefined) found.set(holder.title, [...(found.get(holder.title) ?? []), path])
  }
  return found
}

/** `a.ts, b.ts and 3 more files`. */
export function listed(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => shorten(path, 200))
  const more = paths.length - named.length
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${counted(more, "more file")}`
}

const MAX_WAITING = 5
const MAX_NAMED = 10
const MAX_ASKED = 1000
