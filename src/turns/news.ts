import { ALL } from "../graph/indexes.ts"
import { holderOf, isAnchorKept } from "../graph/lifecycle.ts"
import type { GraphState } from "../graph/state.ts"
import type { Anchor } from "../schemas/knowledge.ts"
import type { Task } from "../schemas/task.ts"
import { shorten } from "../shared/text/clean.ts"

/**
 * What somebody else has set in the middle of a turn and the model must know before its next step: a critical anchor, a
 * file that another session works on. Told with the next result, once, and taken back when it is over, also in a later turn;
 * where nothing happened, nothing is added. What was there when the turn began is in the block.
 */
export function newsInTurn() {
  const known = new Map<string, Known>()

  return {
    begin(session: string, state: GraphState): void {
      const said = known.get(session)?.said ?? new Map<string, Said>()
      const fresh = { looked: new WeakSet<object>(), told: new Map<string, string>(), said }
      known.set(session, fresh)
      lookAt(session, state, fresh)
    },
    since(session: string, state: GraphState): string[] {
      const before = known.get(session)
      if (before !== undefined) return takeNews(session, state, before)
      // A turn that was under way when this process started: what it was told is not known.
      this.begin(session, state)
      return []
    },
  }
}

export type NewsInTurn = ReturnType<typeof newsInTurn>

interface Known {
  /** Records that were looked at. One that changes is another object. */
  looked: WeakSet<object>
  /** The last word on each thing. What the session does itself it need not be told. */
  told: Map<string, string>
  /** What the model was told in a result, and believes until it is told otherwise. */
  said: Map<string, Said>
}

interface Said {
  isOver: (state: GraphState) => boolean
  text: string
}

/** Runs after every call: of all that is urgent, only what has changed is looked into. */
function takeNews(session: string, state: GraphState, known: Known): string[] {
  const { told, said } = known
  const news: string[] = []
  for (const { about, text, over } of lookAt(session, state, known)) {
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

function lookAt(session: string, state: GraphState, { looked, told }: Known): News[] {
  const news: News[] = []
  const look = <T extends object>(records: Iterable<T>, newsOf: (record: T) => readonly News[]) => {
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
  look(state.anchor.by("critical", ALL), (anchor) => anchorNews(anchor, session))
  look(state.task.by("locking", ALL), (task) => lockNews(task, session))
  return news
}

interface News {
  about: string
  text: string
  isOwn: boolean
  over: Said
}

function anchorNews({ id, key, value, session_id }: Anchor, session: string): News[] {
  const text = `Set meanwhile, critical: ${key} = ${shorten(value, 300)}`
  const over = {
    isOver: (state: GraphState) => !isAnchorKept(state.anchor.get(id)),
    text: `No longer set: ${key}`,
  }
  return [{ about: id, text, isOwn: session_id === session, over }]
}

function lockNews(task: Task, session: string): News[] {
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
