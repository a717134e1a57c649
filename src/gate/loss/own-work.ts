import { join, posix } from "node:path"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { SessionStart } from "../../schemas/session-start.ts"
import type { Task } from "../../schemas/task.ts"
import { isGlob, pathsMeet } from "../../shared/glob.ts"
import { forgetOldest } from "../../shared/once-each.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { isAbove } from "../../work/task/holder.ts"
import { changesIn } from "./ask-git.ts"
import { real, repositoryOf, statOf } from "./on-disk.ts"

/** What was in no commit already when a session began: that is not its own work, whoever touches it later. */
export interface OwnWork {
  /** Notes what is there, the first time, and whether HiveMind will keep what the session writes. */
  begin(session: string, isKept?: () => boolean): void
  /** Has it been kept from the first call on? */
  isKept(session: string): boolean
  /** Waits for that a little: a write must not come before it. */
  noted(session: string): Promise<void>
  /** A path relative to the project. */
  isOwn(session: string, path: string): Promise<boolean>
  /** It was somebody else's, and the session has only moved it there. */
  isTaken(session: string, path: string): Promise<boolean>
  /** A call of the session moves these: under another name they are no more its own than before. Absolute paths. */
  moves(session: string, moved: readonly (readonly [to: string, from: string])[]): void
  /** Nobody has changed it between what the session wrote to it (`since`) and a restart of the host. */
  isLeftAlone(session: string, path: string, since: number): boolean
  /** When it was seen first, in ms; never for one that was not. */
  began(session: string): number
  /** An absolute path of a file that was not there when the session began. */
  isYoung(session: string, path: string): boolean
}

/** Keeps the starts of sessions where a restart of the host does not lose them. */
export interface Starts {
  add(start: SessionStart): void
  find(session: string, dir: string): SessionStart | undefined
}

export function ownWork(project: string, kept?: Starts): OwnWork {
  const starts = new Map<string, Start>()

  function begin(session: string, asksKept = () => true): Start {
    const known = starts.get(session)
    if (known !== undefined) return known
    const isKept = asksKept()
    const earlier = kept?.find(session, project)
    const now = Date.now()
    const start: Start =
      earlier === undefined
        ? { at: now, isKept, isNoted: false, taken: [], changed: changedIn(project) }
        : {
            ...earlier,
            isKept,
            isNoted: true,
            taken: earlier.taken ?? [],
            changed: Promise.resolve(earlier.changed ?? undefined),
            again: now,
          }
    start.changed.then((changed) => {
      start.isNoted = true
      if (earlier === undefined) kept?.add({ session, dir: project, at: now, changed: changed ?? null })
    })
    starts.set(session, start)
    if (starts.size > MAX_SESSIONS) forgetOldest(starts)
    return start
  }

  const began = (session: string) => starts.get(session)?.at ?? Number.POSITIVE_INFINITY

  return {
    begin,
    isKept: (session) => starts.get(session)?.isKept ?? true,
    noted: async (session) => {
      const start = begin(session)
      if (!start.isNoted) await withTimeout(start.changed, LIMIT_MS)
    },
    isOwn: async (session, path) => {
      const start = starts.get(session)
      const changed = await start?.changed
      if (start === undefined) return false
      if (start.taken.some((each) => isMet(each, path))) return false
      if (changed !== undefined) return !changed.some((each) => isSameOrAround(each, path))
      return bornSince(join(project, path), start.at)
    },
    isTaken: async (session, path) => {
      await starts.get(session)?.changed
      return starts.get(session)?.taken.some((each) => isMet(each, path)) ?? false
    },
    moves: (session, moved) => {
      if (moved.length === 0) return
      const start = begin(session)
      const inProject = (path: string) => posix.relative(project, path)
      start.changed = start.changed.then((changed) => {
        const isOld = (path: string) =>
          start.taken.some((each) => isMet(each, path)) ||
          (changed?.some((each) => isMet(each, path)) ?? isOlder(join(project, path), start.at))
        const pairs = moved.map(([to, from]) => [inProject(to), inProject(from)] as const)
        const old = pairs.filter(([, from]) => isOld(from)).map(([to]) => to)
        const gone = new Set(pairs.map(([, from]) => from))
        const known = start.taken.filter((path) => !gone.has(path))
        const taken = [...new Set([...known, ...old])].slice(-MAX_TAKEN)
        if (old.length > 0 || taken.length < start.taken.length)
          kept?.add({ session, dir: project, at: start.at, changed: changed ?? null, taken })
        start.taken = taken
        return changed
      })
    },
    isLeftAlone: (session, path, since) => {
      const again = starts.get(session)?.again
      if (again === undefined) return true
      const stat = statOf(join(project, path))
      return stat === undefined || stat.mtimeMs <= since + CLOCK_STEP_MS || stat.mtimeMs >= again
    },
    began,
    isYoung: (session, path) => bornSince(path, began(session)),
  }
}

/**
 * When this session, one above it or a subagent of it has written a file last, as the tree has shown; null for never.
 * What a session wrote before another one went on with its work is that one's, too.
 */
export function lastWrittenBy(session: string, path: string, state: GraphState): number | null {
  const above = sessionsAbove(session, state)
  for (const { session_id, created_at } of state.checkpoint.by("wrote", path).backwards()) {
    if (session_id === null) continue
    const until = above.get(session_id)
    if ((until !== undefined && created_at <= until) || isAbove(state, session, session_id))
      return Date.parse(created_at)
  }
  return null
}

/** The session at the top of a subagent's: what was there when that one began is nobody's own; all since is theirs. */
export function topOf(session: string, state: GraphState): string {
  return [...sessionsAbove(session, state).keys()].at(-1) ?? session
}

/** The session itself, those whose subagent it is, and those whose work went on there, each with the end of its part. */
function sessionsAbove(session: string, state: GraphState): Map<string, string> {
  const above = new Map([[session, FOR_EVER]])
  let until = FOR_EVER
  for (let at = sessionOf(state, session); at !== undefined && above.size < MAX_ABOVE; ) {
    const next = at.parent_host_id ?? at.continues ?? null
    if (next === null || above.has(next)) break
    if ((at.parent_host_id ?? null) === null) until = at.created_at
    above.set(next, until)
    at = sessionOf(state, next)
  }
  return above
}

/** A file that a task has written, and that was not there before the task was. */
export function isMadeFor(task: Task, path: string, state: GraphState, project: string): boolean {
  for (const { task_id } of state.checkpoint.by("wrote", path))
    if (task_id === task.id) return bornSince(join(project, path), Date.parse(task.created_at))
  return false
}

interface Start {
  at: number
  isKept: boolean
  isNoted: boolean
  /** Undefined where git cannot say. */
  changed: Promise<string[] | undefined>
  /** Where the session has moved what was not its own. */
  taken: string[]
  /** When the host has begun anew with it. */
  again?: number
}

async function changedIn(project: string): Promise<string[] | undefined> {
  try {
    const root = real(project) ?? project
    const top = repositoryOf(root)
    // git names them from the top of the repository, of which the project may be a part.
    return (await changesIn(project, "all"))?.map(({ path }) => posix.relative(root, posix.join(top, path)))
  } catch {
    return undefined // No git, or too slow: then a file's own age has to tell.
  }
}

/** git names a folder that it does not know with a slash behind it. */
function isSameOrAround(changed: string, path: string): boolean {
  const folder = changed.replace(/\/$/, "")
  return folder === path || path.startsWith(`${folder}/`) || folder.startsWith(`${path.replace(/\/$/, "")}/`)
}

/** Either may be a pattern. */
function isMet(one: string, other: string): boolean {
  return isGlob(one) || isGlob(other) ? pathsMeet(one, other) : isSameOrAround(one, other)
}

function isOlder(path: string, at: number): boolean {
  return statOf(path) !== undefined && !bornSince(path, at)
}

function bornSince(path: string, at: number): boolean {
  const stat = statOf(path)
  // The clock of a file system ticks in steps of some milliseconds.
  return stat?.isFile() === true && stat.birthtimeMs >= at - CLOCK_STEP_MS
}

const MAX_SESSIONS = 200
const MAX_TAKEN = 500
// A hand-edited circle or chain must not hang a call.
const MAX_ABOVE = 1000
// Later than any time.
const FOR_EVER = "9"
const LIMIT_MS = 500
const CLOCK_STEP_MS = 10
