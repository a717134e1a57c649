import { ALL } from "../graph/indexes.ts"
import { holderOf, isAnchorKept } from "../graph/lifecycle.ts"
import type { GraphState } from "../graph/state.ts"
import type { Anchor } from "../schemas/knowledge.ts"
import type { Task } from "../schemas/task.ts"
import { shorten } from "../shared/text/clean.ts"

/**
 * Changes of others in mid-turn that the model must know before its next step: critical anchors and file locks. Shown
 * once with the next result, and taken back when over. The state at the start of the turn is in the block.
 */
export function midTurnNotices() {
  const known = new Map<string, Known>()

  return {
    begin(session: string, state: GraphState): void {
      const said = known.get(session)?.said ?? new Map<string, Said>()
      const fresh = { looked: new WeakSet<object>(), told: new Map<string, string>(), said }
      known.set(session, fresh)
      findNotices(session, state, fresh)
    },
    since(session: string, state: GraphState): string[] {
      const before = known.get(session)
      if (before !== undefined) return collectNotices(session, state, before)
      // The turn began before this process: the notices shown in it are unknown.
      this.begin(session, state)
      return []
    },
  }
}

export type MidTurnNotices = ReturnType<typeof midTurnNotices>

interface Known {
  /** Records seen so far. A changed record is another object. */
  looked: WeakSet<object>
  /** The last text about each subject. The session's own changes need no text. */
  told: Map<string, string>
  /** Notices that the model has read and that are not taken back yet. */
  said: Map<string, Said>
}

interface Said {
  isOver: (state: GraphState) => boolean
  text: string
}

/** Runs after every call: only changed records are examined. */
function collectNotices(session: string, state: GraphState, known: Known): string[] {
  const { told, said } = known
  const news: string[] = []
  for (const { about, text, over } of findNotices(session, state, known)) {
    news.push(text)
    said.set(about, over)
  }
  for (const [about, { isOver, text }] of said) {
    if (!isOver(state)) continue
    news.push(text)
    said.delete(about)
    told.delete(about)
  }
  return news
}

function findNotices(session: string, state: GraphState, { looked, told }: Known): Notice[] {
  const news: Notice[] = []
  const look = <T extends object>(records: Iterable<T>, newsOf: (record: T) => readonly Notice[]) => {
    for (const record of records) {
      if (looked.has(record)) continue
      looked.add(record)
      for (const each of newsOf(record)) {
        const { about, text, isOwn } = each
        if (!isOwn && told.get(about) !== text) news.push(each)
        told.set(about, isOwn ? OWN : text)
      }
    }
  }
  look(state.anchor.by("critical", ALL), (anchor) => anchorNotices(anchor, session))
  look(state.task.by("locking", ALL), (task) => lockNotices(task, session))
  return news
}

interface Notice {
  about: string
  text: string
  isOwn: boolean
  over: Said
}

function anchorNotices({ id, key, value, session_id }: Anchor, session: string): Notice[] {
  const text = `Set meanwhile, critical: ${key} = ${shorten(value, 300)}`
  const over = {
    isOver: (state: GraphState) => !isAnchorKept(state.anchor.get(id)),
    text: `No longer set: ${key}`,
  }
  return [{ about: id, text, isOwn: session_id === session, over }]
}

function lockNotices(task: Task, session: string): Notice[] {
  const { id, title, file_locks } = task
  const holder = holderOf(task)
  return file_locks.map((path) => ({
    about: `${id} ${path}`,
    text: `Locked meanwhile by another session (task "${shorten(title, 80)}"): ${path}. Leave it alone.`,
    isOwn: holder === session || holder === null,
    over: { isOver: (state: GraphState) => !isLocked(state, id, path), text: `No longer locked: ${path}` },
  }))
}

function isLocked({ task }: GraphState, id: string, path: string): boolean {
  for (const each of task.by("locking", ALL)) if (each.id === id) return each.file_locks.includes(path)
  return false
}

const OWN = ""
