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

/** Notes about changes that should not have happened. The model gets them with its next tool result. */
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
    async later(opened: Hive, change: Change): Promise<void> {
      const notes = await about(opened, change)
      if (notes.length > 0) waiting.set(change.session, notes.slice(-MAX_WAITING))
    },
  }
}

export type ChangeNotes = ReturnType<typeof changeNotes>

interface Change {
  session: string
  agent: string | null
  changed: readonly string[]
  task: Task | undefined
  lost?: CallChanges["lost"]
}

async function notesFor(opened: Hive, { agent, changed, task }: Change, isStrict: boolean) {
  const notes: string[] = []
  const note = (files: readonly string[], what: string) =>
    notes.push(`HiveMind: ${listed(files)} changed, ${what}`)
  const outside = await outsideScope(opened, agent, changed)
  if (outside.length > 0) note(outside, `which ${agent} may not write. ${roleAdvice[roleOf(agent)]}`.trim())
  const start = `Start the task it belongs to (${callText("task", "start")}), or undo the change.`
  if (task === undefined && isStrict) note(changed, `and no task covers it. ${start}`)
  for (const [holder, files] of lockedBy(opened, changed, task))
    note(files, `which "${shorten(holder, 80)}" has locked. Undo the change, or tell the user.`)
  return notes
}

function lossNotes(lost: NonNullable<CallChanges["lost"]>, isNews: (name: string) => boolean): string[] {
  const deleted = lost.deleted.filter(isNews)
  const overwritten = lost.overwritten.filter(isNews)
  const commits = lost.commits.filter(({ oid }) => isNews(oid))
  const what: string[] = []
  if (deleted.length > 0) what.push(`deleted ${listed(deleted)}`)
  if (overwritten.length > 0) what.push(`overwrote ${listed(overwritten)}`)
  const subjects = commits.slice(0, 3).map(({ subject }) => `"${shorten(subject, 80)}"`)
  if (commits.length > 0)
    what.push(`left ${counted(commits.length, "commit")} without a branch (${subjects.join(", ")})`)
  const large = lost.notRestorable.filter(({ path }) => isNews(path))
  const names = large.map(
    ({ path, bytes, isDeleted }) => `${path} (${byteSize(bytes)}, ${isDeleted ? "deleted" : "changed"})`,
  )
  const command = `hivemind restore ${lost.snapshot}${commits.length > 0 ? " --refs" : ""}`
  const back = `\`${command}\` restores it. If the change was not wanted, tell the user.`
  const gone = "too large to be kept in a snapshot, so it cannot be restored. Tell the user."
  const own = `HiveMind: this call ${what.join(" and ")}: the user's own work from before this session. ${back}`
  const tooLarge = `HiveMind: this call changed or deleted ${listed(names)}: ${gone}`
  return [...(what.length > 0 ? [own] : []), ...(large.length > 0 ? [tooLarge] : [])]
}

async function outsideScope({ config }: Hive, agent: string | null, changed: readonly string[]) {
  if (agent === null) return []
  if (deniedTo[roleOf(agent)].uses.includes("write")) return changed
  if (config.path_scopes[agent] === undefined) return []
  const isInScope = await pathScope(config.path_scopes)
  return changed.filter((path) => !isInScope(agent, path))
}

function lockedBy({ store }: Hive, changed: readonly string[], task: Task | undefined) {
  const { state } = store.read()
  const found = new Map<string, string[]>()
  for (const path of changed.slice(0, 1000)) {
    const holder = lockHolder((index, key) => state.task.by(index, key), state, path, task?.id)
    if (holder !== undefined) found.set(holder.title, [...(found.get(holder.title) ?? []), path])
  }
  return found
}

export function listed(paths: readonly string[]): string {
  const named = paths.slice(0, 10).map((path) => shorten(path, 200))
  const more = paths.length - named.length
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${counted(more, "more file")}`
}

const MAX_WAITING = 5
