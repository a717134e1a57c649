import { HOUR_MS } from "../shared/time.ts"
import { changesBetween, type FileChange } from "./compare.ts"
import { findLoss, type Loss } from "./loss.ts"
import { findPrivateRepository, type PrivateRepository } from "./private-repository.ts"
import { pruneSnapshots, type Retention, sizeOfSnapshots } from "./prune.ts"
import { type EndedCall, numberOfId, type SnapshotRecord, snapshotRecords } from "./records.ts"
import { readRefs } from "./repository-state.ts"
import { noteSessionStart, readSessionStart, type SessionStart } from "./session-start.ts"
import { snapshotTaker } from "./take-snapshot.ts"
import { isSameState, leftOutChanges, type SnapshotLimits, type WorktreeState } from "./worktree-state.ts"

export type CallNote = Pick<SnapshotRecord, "session" | "turn" | "tool" | "command" | "task">

/** Opens the snapshots of a project. Nothing is written to disk before the first one is taken. */
export function openSnapshots(project: string, settings: () => SnapshotSettings, now: () => number) {
  const taker = snapshotTaker(project, settings)
  let known: PrivateRepository | undefined
  let calls = 0
  let pruned = { calls: 0, bytes: 0 }
  const place = () => {
    known = findPrivateRepository(project)
    return known
  }
  const time = () => new Date(now()).toISOString()

  return {
    take: taker.take,
    changes: (before: WorktreeState, after: WorktreeState) => changesBetween(place(), before, after),
    /** Converts a path relative to the work tree's top to one relative to the project; undefined outside of it. */
    projectPath(path: string): string | undefined {
      const { prefix } = known ?? place()
      return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
    },
    /** Converts a path relative to the project to one relative to the work tree's top. */
    fromTop: (path: string) => `${(known ?? place()).prefix}${path}`,

    begin(call: CallNote, before: WorktreeState, isOverlapped: boolean): SnapshotRecord {
      const repository = place()
      const record = snapshotRecords(repository.dir).add({
        ...call,
        at: time(),
        worktree: repository.worktree,
        before: forRecord(before),
        after: null,
        pid: process.pid,
        isOverlapped,
        counts: { changed: 0, created: 0, deleted: 0, refs: 0 },
        files: [],
        deleted: [],
        notRestorable: [],
      })
      calls++
      // The returned record has all left-out files, because `end` compares them. The stored one has only some.
      return { ...record, before }
    },

    async end(record: SnapshotRecord, after: WorktreeState, isOverlapped: boolean) {
      const repository = place()
      const notRestorable = leftOutChanges(repository.top, record.before, after)
      if (notRestorable.length === 0 && isSameState(record.before, after)) {
        snapshotRecords(repository.dir).remove(record.number)
        return undefined
      }
      const changes = [...(await changesBetween(repository, record.before, after)).values()]
      const isShared = isOverlapped || isBesideOthers(repository, record, now())
      const summary = summaryOf(changes)
      const ended: EndedCall = { ...record, after, isOverlapped: isShared, ...summary, notRestorable }
      ended.counts.refs = await movedRefs(repository, record.before, after)
      const written = { before: forRecord(record.before), after: forRecord(after) }
      const listed = notRestorable.slice(0, MAX_NAMES)
      snapshotRecords(repository.dir).replace({ ...ended, ...written, notRestorable: listed })
      return ended
    },

    drop: (record: SnapshotRecord) => snapshotRecords(place().dir).remove(record.number),

    *list(): Generator<SnapshotRecord, void, void> {
      const repository = place()
      const records = snapshotRecords(repository.dir)
      for (const number of records.numbers()) {
        const record = records.read(number)
        if (record?.worktree === repository.worktree) yield record
      }
    },

    sessionStart: (session: string): SessionStart | undefined => readSessionStart(place(), session),
    saveSessionStart: (session: string, state: WorktreeState): Promise<SessionStart> =>
      noteSessionStart(place(), session, time(), state, taker.take),

    loss: (start: SessionStart, ended: EndedCall, written: ReadonlySet<string>): Promise<Loss> =>
      findLoss(place(), start, ended, written),

    /** Returns the record of this id, even if it belongs to another worktree. */
    find(id: string): SnapshotRecord | undefined {
      const number = numberOfId(id)
      return number === undefined ? undefined : snapshotRecords(place().dir).read(number)
    },

    size: () => sizeOfSnapshots(place()),
    /** Removes old snapshots if the last pruning is long ago. Cheap enough to be called often. */
    async prune(): Promise<void> {
      const { maxBytes } = settings()
      const added = taker.addedBytes()
      const isMuchNew = calls - pruned.calls > MANY_CALLS || added - pruned.bytes > maxBytes / 8
      const seen = { calls, bytes: added }
      if (await pruneSnapshots(place(), settings(), now(), isMuchNew)) pruned = seen
    },
    dir: () => place().dir,
    project,
    repository: place,
  }
}

export type Snapshots = ReturnType<typeof openSnapshots>
export type SnapshotSettings = SnapshotLimits & Retention

function isBesideOthers({ dir }: PrivateRepository, record: SnapshotRecord, now: number): boolean {
  const { numbers, read } = snapshotRecords(dir)
  const near = numbers().filter((number) => number > record.number - MAX_BEFORE)
  return near.some((number) => {
    const other = read(number)
    if (other === undefined || other.pid === record.pid || other.worktree !== record.worktree) return false
    return number > record.number || (other.after === null && Date.parse(other.at) > now - HOUR_MS)
  })
}

async function movedRefs(
  store: PrivateRepository,
  { repository: one }: WorktreeState,
  { repository: other }: WorktreeState,
): Promise<number> {
  if (one === null || other === null) return 0
  const [was, is] = await Promise.all([readRefs(store, one.refs), readRefs(store, other.refs)])
  const standing = new Set(is.map(({ name, oid }) => `${name} ${oid}`))
  const moved = was.filter(({ name, oid }) => !standing.has(`${name} ${oid}`))
  return moved.length + (one.stashes.length === other.stashes.length ? 0 : 1)
}

/** Shortens the list of left-out files, because a project may have a thousand of them in every record. */
function forRecord(state: WorktreeState): WorktreeState {
  return { ...state, leftOut: state.leftOut.slice(0, MAX_NAMES) }
}

function summaryOf(changes: readonly FileChange[]): Pick<SnapshotRecord, "counts" | "files" | "deleted"> {
  const deleted = changes.filter(({ after }) => after === null).map(({ path }) => path)
  const files = changes.filter(({ after }) => after !== null).map(({ path }) => path)
  const created = changes.filter(({ before }) => before === null).length
  const counts = { changed: files.length - created, created, deleted: deleted.length, refs: 0 }
  return { counts, files: files.slice(0, MAX_NAMES), deleted: deleted.slice(0, MAX_NAMES) }
}

const MAX_NAMES = 20
const MAX_BEFORE = 10
const MANY_CALLS = 200
