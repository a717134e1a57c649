import { relative, resolve } from "node:path"
import { type ErrorCode, HiveError } from "../shared/error.ts"
import { changesBetween, type FileChange } from "./compare.ts"
import { type Loss, lossBetween } from "./loss.ts"
import { findPrivateRepository, type PrivateRepository } from "./private-repository.ts"
import { pruneSnapshots, type Retention, type StoreSize, sizeOfSnapshots } from "./prune.ts"
import { numberOfId, type SnapshotRecord, snapshotRecords } from "./records.ts"
import { readRefs } from "./repository-state.ts"
import { type FilePlan, planFiles, writeFiles } from "./restore-files.ts"
import { planRepository, type RepositoryPlan, restoreRepository } from "./restore-repository.ts"
import { noteSessionStart, readSessionStart, type SessionStart } from "./session-start.ts"
import { isSameState, type TreeState } from "./state.ts"
import { type SnapshotLimits, snapshotTaker } from "./take.ts"

/** Who a snapshot is taken for. */
export interface CallNote {
  session: string | null
  turn: string | null
  tool: string
  command: string | null
  task: string | null
}

export interface RestoreOptions {
  /** Relative to the project; null for all that the call has changed. */
  paths?: readonly string[] | null
  refs?: boolean
  /** Write files that have changed since, too. */
  force?: boolean
}

export interface RestorePlan {
  record: SnapshotRecord
  /** The state that the plan was made for. */
  now: TreeState
  files: FilePlan
  repository: RepositoryPlan | null
}

export interface Restored {
  /** The snapshot that undoes this restore; null where nothing was to do. */
  undo: SnapshotRecord | null
  written: string[]
  failed: { path: string; why: string }[]
}

/** The snapshots of a project. Nothing is created before the first one is taken. */
export function openSnapshots(project: string, settings: () => SnapshotSettings, now: () => number) {
  const taker = snapshotTaker(project, settings)
  let known: PrivateRepository | undefined
  const place = () => {
    known = findPrivateRepository(project)
    return known
  }
  const recordsOf = ({ dir }: PrivateRepository) => snapshotRecords(dir)
  const time = () => new Date(now()).toISOString()

  async function plan(id: string, { paths = null, refs = false }: RestoreOptions): Promise<RestorePlan> {
    const repository = place()
    const record = find(id, repository)
    const state = await taker.take()
    const wanted = paths?.map((path) => fromTop(path, project, repository)) ?? null
    return {
      record,
      now: state,
      files: await planFiles(repository, record, state, wanted),
      repository: refs ? await planRepository(repository, record, state) : null,
    }
  }

  function find(id: string, repository: PrivateRepository): SnapshotRecord {
    const number = numberOfId(id)
    const record = number === undefined ? undefined : recordsOf(repository).read(number)
    if (record === undefined)
      throw refused("not_found", `There is no snapshot ${id}.`, "`hivemind restore` lists them.", id)
    if (record.worktree !== repository.worktree)
      throw refused("invalid_argument", `${id} was taken in another worktree.`, "Restore it there.", id)
    return record
  }

  return {
    take: taker.take,
    /** What differs between two states, by path relative to the top of the work tree. */
    changes: (before: TreeState, after: TreeState) => changesBetween(place(), before, after),
    /** Of a path relative to the top, the one relative to the project; undefined outside of it. */
    projectPath(path: string): string | undefined {
      const { prefix } = known ?? place()
      return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
    },
    /** A path relative to the project, relative to the top of the work tree. */
    fromTop: (path: string) => `${(known ?? place()).prefix}${path}`,

    /** Keeps the state before a call. */
    begin(call: CallNote, before: TreeState, isOverlapped: boolean): SnapshotRecord {
      const repository = place()
      return recordsOf(repository).add({
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
      })
    },

    /** Keeps the state after it. A call that has changed nothing leaves no record. */
    async end(
      record: SnapshotRecord,
      after: TreeState,
      isOverlapped: boolean,
    ): Promise<SnapshotRecord | undefined> {
      const repository = place()
      if (isSameState(record.before, after)) {
        recordsOf(repository).remove(record.number)
        return undefined
      }
      const changes = [...(await changesBetween(repository, record.before, after)).values()]
      const isShared = isOverlapped || isBesideOthers(recordsOf(repository), record, now())
      const ended = { ...record, after: forRecord(after), isOverlapped: isShared, ...summaryOf(changes) }
      ended.counts.refs = await movedRefs(repository, record.before, after)
      recordsOf(repository).replace(ended)
      return ended
    },

    drop(record: SnapshotRecord): void {
      recordsOf(place()).remove(record.number)
    },

    /** Newest first, of this work tree. */
    *list(): Generator<SnapshotRecord, void, void> {
      const repository = place()
      const records = recordsOf(repository)
      for (const number of records.numbers()) {
        const record = records.read(number)
        if (record?.worktree === repository.worktree) yield record
      }
    },

    startOf: (session: string): SessionStart | undefined => readSessionStart(place(), session),
    noteStart: (session: string, state: TreeState): Promise<SessionStart> =>
      noteSessionStart(place(), session, time(), state),

    loss: (
      start: SessionStart,
      states: { before: TreeState; after: TreeState; changes: ReadonlyMap<string, FileChange> },
      written: ReadonlySet<string>,
    ): Promise<Loss> => lossBetween(place(), start, { ...states, written }),

    plan,

    /** Carries a plan out. The state before it is a snapshot as well, so that it can be undone. */
    async restore(
      found: RestorePlan,
      caller: CallNote,
      { force = false }: RestoreOptions = {},
    ): Promise<Restored> {
      const repository = place()
      const { files, repository: refs } = found
      const planned = force ? [...files.write, ...files.conflicts] : files.write
      const hasRefs = refs !== null && refs.refs.length + refs.stashes.length + refs.staged.length > 0
      if (planned.length === 0 && !hasRefs) return { undo: null, written: [], failed: [] }
      // Someone may have taken a while to agree.
      const before = await taker.take()
      const since = await changesBetween(repository, found.now, before)
      const record = this.begin(caller, before, false)
      const changed = planned.filter(({ path }) => since.has(path))
      const failed = changed.map(({ path }) => ({ path, why: "it has just changed" }))
      failed.push(
        ...(await writeFiles(
          repository,
          planned.filter(({ path }) => !since.has(path)),
        )),
      )
      if (refs !== null && hasRefs) failed.push(...(await restoreRepository(repository, refs)))
      // What was written is told in any case.
      const last = await taker.take().catch(() => undefined)
      const undo = last === undefined ? record : ((await this.end(record, last, false)) ?? null)
      const isFailed = new Set(failed.map(({ path }) => path))
      const written = planned.map(({ path }) => path).filter((path) => !isFailed.has(path))
      return { undo, written, failed }
    },

    size: (): Promise<StoreSize> => sizeOfSnapshots(place()),
    prune: (): Promise<void> => pruneSnapshots(place(), settings(), now()),
    dir: () => place().dir,
    /** The top of the work tree. */
    top: () => (known ?? place()).top,
  }
}

export type Snapshots = ReturnType<typeof openSnapshots>
export type SnapshotSettings = SnapshotLimits & Retention

/** Whether another process had a call under way in this work tree at the same time. */
function isBesideOthers(
  records: ReturnType<typeof snapshotRecords>,
  record: SnapshotRecord,
  now: number,
): boolean {
  const near = records.numbers().filter((number) => number > record.number - MAX_BEFORE)
  return near.some((number) => {
    const other = records.read(number)
    if (other === undefined || other.pid === record.pid || other.worktree !== record.worktree) return false
    return number > record.number || (other.after === null && Date.parse(other.at) > now - HOUR_MS)
  })
}

async function movedRefs(store: PrivateRepository, before: TreeState, after: TreeState): Promise<number> {
  const [one, other] = [before.repository, after.repository]
  if (one === null || other === null) return 0
  const [was, is] = await Promise.all([readRefs(store, one.refs), readRefs(store, other.refs)])
  const standing = new Set(is.map(({ name, oid }) => `${name} ${oid}`))
  const moved = was.filter(({ name, oid }) => !standing.has(`${name} ${oid}`))
  return moved.length + (one.stashes.length === other.stashes.length ? 0 : 1)
}

/** A project may leave out a thousand files, again and again. */
function forRecord(state: TreeState): TreeState {
  return { ...state, leftOut: state.leftOut.slice(0, MAX_NAMES) }
}

function summaryOf(changes: readonly FileChange[]): Pick<SnapshotRecord, "counts" | "files" | "deleted"> {
  const deleted = changes.filter(({ after }) => after === null).map(({ path }) => path)
  const files = changes.filter(({ after }) => after !== null).map(({ path }) => path)
  const created = changes.filter(({ before }) => before === null).length
  const counts = { changed: files.length - created, created, deleted: deleted.length, refs: 0 }
  return { counts, files: files.slice(0, MAX_NAMES), deleted: deleted.slice(0, MAX_NAMES) }
}

function fromTop(path: string, project: string, { prefix }: PrivateRepository): string {
  const inside = relative(project, resolve(project, path)).replaceAll("\\", "/")
  if (inside === ".." || inside.startsWith("../"))
    throw refused("invalid_argument", `${path} lies outside.`, "Name files of this project.", path)
  return `${prefix}${inside}`
}

function refused(code: ErrorCode, why: string, use_instead: string, evidence: string): HiveError {
  return new HiveError({ code, what: "Nothing was restored.", why, use_instead, evidence })
}

const MAX_NAMES = 20
const MAX_BEFORE = 10
const HOUR_MS = 3_600_000
