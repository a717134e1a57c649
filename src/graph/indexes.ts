import { posix } from "node:path"
import type { Conflict } from "../schemas/conflict.ts"
import { type Anchor, type Artifact, anchorKey, type Mem, readEvidence } from "../schemas/knowledge.ts"
import type { Phase, Plan } from "../schemas/plan.ts"
import { type AnyRecord, type Kind, kinds, type RecordOf } from "../schemas/records.ts"
import type { Session } from "../schemas/session.ts"
import { type Checkpoint, type Delegation, type Task, task as taskSchema } from "../schemas/task.ts"
import { isGlob } from "../shared/glob.ts"
import { byAge, compare } from "./by-age.ts"
import {
  isAnchorKept,
  isDoneTask,
  isGoneDocument,
  isMemInForce,
  isOpenDelegation,
  isOpenPlan,
  isOpenTask,
  isOverPlan,
  isRetiredMem,
  isTaskUnderWay,
} from "./lifecycle.ts"
import { type LinkField, linksFrom } from "./links.ts"
import { isNeeded, memStatus } from "./mem-status.ts"
import { type Index, RecordMap } from "./record-map.ts"

export type Records<K extends Kind> = RecordMap<RecordOf<K>, IndexName<K>>

/** The names of a kind's indexes: one per link, `start` (the beginning of the id), and those in `own`. */
export type IndexName<K extends Kind> = LinkField<K> | "start" | Extract<keyof (typeof own)[K], string>

/** The key of indexes that have a single group. */
export const ALL = "all"

// Times are all UTC in one format, so they are compared as text. The newest record is last, because adding there is
// cheapest. Ids break ties, so that every process has the same order.
const byTime = (a: Checkpoint, b: Checkpoint) => compare(a.created_at, b.created_at)
const byNewest = (a: Mem, b: Mem) => compare(a.created_at, b.created_at) || compare(b.id, a.id)

function byTimeOf<T extends { id: string }>(timeOf: (record: T) => string | null) {
  return (a: T, b: T) => compare(timeOf(a) ?? "", timeOf(b) ?? "") || compare(a.id, b.id)
}

const own = {
  session: {
    parent: index(({ parent_host_id }: Session) => parent_host_id),
    stamp: index(({ stamp }: Session) => stamp),
  },
  trajectory: {},
  plan: {
    status: index(({ status }: Plan) => status),
    title: index((plan: Plan) => (isOpenPlan(plan) ? titleKey(plan.title) : null)),
    /** Open plans that hold the tasks of researchers. */
    research: index((plan: Plan) => allWhere(plan.purpose === "research" && isOpenPlan(plan))),
    /** Open plans that hold the inbox tasks. */
    unplanned: index((plan: Plan) => allWhere(plan.purpose === "unplanned" && isOpenPlan(plan))),
    /** Plans that are not over and name a document. */
    documented: index((plan: Plan) => allWhere(plan.sot_document_path !== null && !isOverPlan(plan))),
    stamp: index(({ stamp }: Plan) => stamp),
  },
  phase: {
    unfolded: index(({ summary }: Phase) => allWhere(summary === null)),
    stamp: index(({ stamp }: Phase) => stamp),
  },
  task: {
    status: index(({ status }: Task) => status, byAge),
    /** `plan active`, `phase active`, `level active` and so on: tasks by place and status. */
    ...byStatus("plan", ({ parent_plan_id }) => parent_plan_id),
    ...byStatus("phase", ({ parent_phase_id }) => parent_phase_id),
    ...byStatus("level", levelOf),
    completed: index(
      (task: Task) => allWhere(task.completed_at !== null && isDoneTask(task)),
      byTimeOf(({ completed_at }) => completed_at),
    ),
    session: index(({ assigned_session_id }: Task) => assigned_session_id),
    /** Active tasks by the session that works on them, "" if there is none. */
    holder: index((task: Task) => (task.status === "active" ? (task.assigned_session_id ?? "") : null)),
    title: index((task: Task) => (isOpenTask(task) ? titleKey(task.title) : null)),
    check: index((task: Task) => (isOpenTask(task) ? task.verify : null)),
    /** Tasks under way, by the paths that they lock. `lock_below` has the folders above these paths. */
    lock: index((task: Task) => locksOf(task)),
    locked: index((task: Task) => allWhere(locksOf(task).length > 0)),
    lock_pattern: index((task: Task) => allWhere(locksOf(task).some((path) => path === "" || isGlob(path)))),
    lock_below: index((task: Task) => locksOf(task).flatMap(foldersOf)),
    stamp: index(({ stamp }: Task) => stamp),
  },
  mem: {
    origin_task_id: index(({ origin_task_id }: Mem) => origin_task_id, byNewest),
    related_to: index(({ related_to }: Mem) => related_to, byNewest),
    path: index((mem: Mem) => mem.evidence.map((each) => readEvidence(each).path), byNewest),
    standing: index(memStatus, byNewest),
    rule: index((mem: Mem) => allWhere(mem.kind === "rule" && isMemInForce(mem)), byNewest),
    decided: index((mem: Mem) => allWhere(mem.kind === "decision" && memStatus(mem) === "saved"), byNewest),
    /** Mems in force by a hash of their text, to find duplicates. */
    text: index((mem: Mem) => (isMemInForce(mem) ? textHash(mem.content) : null)),
    in_force: index(
      (mem: Mem) => allWhere(isMemInForce(mem)),
      byTimeOf(({ created_at }) => created_at),
    ),
    /** Findings of project scans, in force. */
    scanned: index((mem: Mem) => allWhere(mem.origin === "scan" && isMemInForce(mem))),
    undecided: index((mem: Mem) => allWhere(memStatus(mem) === "open")),
    leaning: index((mem: Mem) => allWhere(mem.related_to.length > 0 && !isRetiredMem(mem)), byNewest),
    stale: index(
      (mem: Mem) => allWhere(mem.stale_at !== null && !isNeeded(mem) && !isRetiredMem(mem)),
      byTimeOf(({ stale_at }) => stale_at),
    ),
    updated: index(
      (_: Mem) => ALL,
      byTimeOf(({ updated_at }) => updated_at),
    ),
  },
  anchor: {
    key: index(({ key }: Anchor) => anchorKey(key)),
    kept: index((anchor: Anchor) => allWhere(isAnchorKept(anchor))),
    critical: index((anchor: Anchor) => allWhere(isAnchorKept(anchor) && anchor.priority === "critical")),
  },
  artifact: {
    path: index(({ path }: Artifact) => path),
    changed: index(({ status }: Artifact) => allWhere(status === "changed")),
    gone: index((artifact: Artifact) => allWhere(isGoneDocument(artifact))),
    known: index(({ hash, status }: Artifact) => allWhere(hash !== null && status !== "abandoned")),
  },
  checkpoint: {
    task_id: index(({ task_id }: Checkpoint) => task_id, byTime),
    session: index(({ session_id }: Checkpoint) => session_id, byTime),
    /** Successful calls by the files that they wrote. */
    wrote: index(({ ok, files }: Checkpoint) => (ok ? files : null), byTime),
    /** Runs of a task's check by its command. */
    checked: index(({ run, command }: Checkpoint) => (run === null ? null : command), byTime),
  },
  delegation: {
    child: index(({ child_session_id }: Delegation) => child_session_id),
    open: index((delegation: Delegation) => allWhere(isOpenDelegation(delegation))),
  },
  conflict: {
    record: index(({ record_id }: Conflict) => record_id),
    open: index(({ status }: Conflict) => allWhere(status === "open")),
  },
  metrics: {},
}

const indexes = new Map(kinds.map((kind) => [kind, indexesOf(kind)]))

export function newRecords<K extends Kind>(kind: K): Records<K> {
  return new RecordMap(indexes.get(kind) as Index<RecordOf<K>, IndexName<K>>[])
}

function indexesOf(kind: Kind): Index<never>[] {
  const start: Grouping<AnyRecord> = { keys: ({ id }) => startOf(id) }
  const links = linksFrom(kind).map(({ field, ids }): [string, Grouping<AnyRecord>] => [
    field,
    { keys: (record) => ids(record).filter((id) => id !== null) },
  ])
  const all: Record<string, Grouping<never>> = { start, ...Object.fromEntries(links), ...own[kind] }
  return Object.entries(all).map(([name, grouping]) => ({ name, ...grouping }))
}

/** Converts the beginning of an id to a number, because that needs less memory than a text. */
export function startOf(id: string): number {
  return Number.parseInt(id.slice(0, START_LENGTH), 16)
}

function byStatus<P extends "plan" | "phase" | "level">(
  place: P,
  idOf: (task: Task) => string,
): Record<`${P} ${Task["status"]}`, Grouping<Task>> {
  const each = taskSchema.shape.status.options.map((status) => [
    `${place} ${status}`,
    index((task: Task) => (task.status === status ? idOf(task) : null), byAge),
  ])
  return Object.fromEntries(each) // fromEntries loses the names in its type.
}

/** Tasks of one level are siblings: they have the same parent task, or are the top tasks of one phase. */
export function levelOf({ parent_task_id, parent_phase_id }: Task): string {
  return parent_task_id ?? parent_phase_id
}

/** Normalizes a title for comparison, which ignores case and surrounding blanks. */
export function titleKey(title: string): string {
  return title.trim().toLowerCase()
}

/** Normalizes a text for comparison, which ignores case, repeated blanks, and dots or exclamation marks at the end. */
export function textKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replace(/[.!]+$/, "")
}

/** FNV-1a hash without blanks, dots and exclamation marks: the same for texts with the same `textKey`, and faster. */
export function textHash(text: string): number {
  const lower = text.toLowerCase()
  let hash = 0x811c9dc5
  for (let n = 0; n < lower.length; n++) {
    const code = lower.charCodeAt(n)
    if (code > 0x7f ? isBlank(code) : code <= 0x20 || code === DOT || code === BANG) continue
    hash = Math.imul(hash ^ code, 0x01000193)
  }
  return hash >>> 0
}

function isBlank(code: number): boolean {
  return /\s/.test(String.fromCharCode(code))
}

const DOT = 0x2e
const BANG = 0x21

function locksOf(task: Task): string[] {
  return isTaskUnderWay(task) ? task.file_locks.map(lockPath) : []
}

type Grouping<T> = Omit<Index<T>, "name">

function index<T>(keys: Index<T>["keys"], order?: Index<T>["order"]): Grouping<T> {
  return order === undefined ? { keys } : { keys, order }
}

function allWhere(isIn: boolean): string | null {
  return isIn ? ALL : null
}

export const START_LENGTH = 7

/** Normalizes a locked path or pattern: forward slashes, no `./`, no `..`, no slash at the end. */
export function lockPath(path: string): string {
  const normal = posix.normalize(path.replaceAll("\\", "/")).replace(/\/+$/, "")
  return normal === "." ? "" : normal
}

/** The folders that contain a path, innermost first. */
export function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let rest = path, at = rest.lastIndexOf("/"); at >= 0; at = rest.lastIndexOf("/")) {
    rest = rest.slice(0, at)
    folders.push(rest)
  }
  return folders
}
