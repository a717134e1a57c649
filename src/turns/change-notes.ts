import { deniedTo, roleAdvice, roleOf } from "../gate/roles.ts"
import { pathScope } from "../gate/scopes-and-locks.ts"
import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import { byteSize, counted } from "../shared/amounts.ts"
import { onceEach } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { callText } from "../shared/tool-names.ts"
import type { Log } from "../store/files/log-file.ts"
import { lockHolder } from "../work/task/holder.ts"
import type { CallChanges } from "./call-snapshots.ts"

/**
 * Notes for the model and the user about changes that should not have happened, by file. The model gets them with its
 * next result.
 */
export function changeNotes(toast: (message: string) => Promise<void>, log: Log) {
  const waiting = new Map<string, string[]>()
  const isNews = onceEach()

  async function about(opened: Hive, change: Change): Promise<string[]> {
    const { session, changed } = change
    const { governance } = opened.config
    const isQuiet = governance === "off" || changed.length === 0
    const notes = isQuiet ? [] : await notesFor(opened, change, governance === "strict")
    if (change.lost != null) notes.push(...lossNotes(change.lost, (path) => isNews(`${session} ${path}`)))
    for (const note of notes)
      toast(note).catch((error: unknown) => log("info", "could not show toast", error))
    const before = waiting.get(session) ?? []
    waiting.delete(session)
    return [...before, ...notes]
  }

  return {
    about,
    /** After a turn: the model gets the notes with the next one. */
    async later(opened: Hive, change: Change): Promise<void> {
      const notes = await about(opened, change)
      if (notes.length > 0) waiting.set(change.session, notes.slice(-MAX_WAITING))
    },
  }
}

export type ChangeNotes = ReturnType<typeof changeNotes>

interface Change {
  session: string
  /** Null if another writer may have made the change. */
  agent: string | null
  changed: readonly string[]
  task: Task | undefined
  /** The user's work from before the session that the call destroyed. */
  lost?: CallChanges["lost"]
}

async function notesFor(
  opened: Hive,
  { agent, changed, task }: Change,
  isStrict: boolean,
): Promise<string[]> {
  const notes: string[] = []
  const outside = await outsideScope(opened, agent, changed)
  if (outside.length > 0)
    notes.push(
      `HiveMind: ${listed(outside)} changed, which ${agent} may not write. ${roleAdvice[roleOf(agent)]}`.trim(),
    )
  if (task === undefined && isStrict)
    notes.push(
      `HiveMind: ${listed(changed)} changed, and no task covers it. Start the task it belongs to (${callText("task", "start")}), or take it back.`,
    )
  for (const [holder, files] of lockedBy(opened, changed, task))
    notes.push(
      `HiveMind: ${listed(files)} changed, which "${shorten(holder, 80)}" has locked. Take it back, or tell the user.`,
    )
  return notes
}

/** Each file and commit once, with the command that restores it. */
function lossNotes(lost: NonNullable<CallChanges["lost"]>, isNews: (name: string) => boolean): string[] {
  const deleted = lost.deleted.filter(isNews)
  const overwritten = lost.overwritten.filter(isNews)
  const commits = lost.commits.filter(({ oid }) => isNews(oid))
  const what = [
    ...(deleted.length > 0 ? [`deleted ${listed(deleted)}`] : []),
    ...(overwritten.length > 0 ? [`overwrote ${listed(overwritten)}`] : []),
  ]
  const subjects = commits.slice(0, 3).map(({ subject }) => `"${shorten(subject, 80)}"`)
  if (commits.length > 0)
    what.push(`left ${counted(commits.length, "commit")} without a branch (${subjects.join(", ")})`)
  const large = lost.notRestorable.filter(({ path }) => isNews(path))
  const names = large.map(
    ({ path, bytes, isDeleted }) => `${path} (${byteSize(bytes)}, ${isDeleted ? "deleted" : "changed"})`,
  )
  const command = `hivemind restore ${lost.snapshot}${commits.length > 0 ? " --refs" : ""}`
  return [
    ...(what.length === 0
      ? []
      : [
          `HiveMind: this call ${what.join(" and ")}: the user's own work from before this session. \`${command}\` brings it back. If that was not wanted, tell the user.`,
        ]),
    ...(large.length === 0
      ? []
      : [
          `HiveMind: this call changed or deleted ${listed(names)}: too large to be kept in a snapshot, so it cannot be restored. Tell the user.`,
        ]),
  ]
}

async function outsideScope(
  { config }: Hive,
  agent: string | null,
  changed: readonly string[],
): Promise<readonly string[]> {
  if (agent === null) return []
  if (deniedTo[roleOf(agent)].uses.includes("write")) return changed
  if (config.path_scopes[agent] === undefined) return []
  const isInScope = await pathScope(config.path_scopes)
  return changed.filter((path) => !isInScope(agent, path))
}

function lockedBy(
  { store }: Hive,
  changed: readonly string[],
  task: Task | undefined,
): Map<string, string[]> {
  const { state } = store.read()
  const found = new Map<string, string[]>()
  for (const path of changed.slice(0, MAX_ASKED)) {
    const holder = lockHolder((index, key) => state.task.by(index, key), state, path, task?.id)
    if (holder !== undefined) found.set(holder.title, [...(found.get(holder.title) ?? []), path])
  }
  return found
}

/** `a.ts, b.ts and 3 more files` */
export function listed(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => shorten(path, 200))
  const more = paths.length - named.length
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${counted(more, "more file")}`
}

const MAX_WAITING = 5
const MAX_NAMED = 10
const MAX_ASKED = 1000
