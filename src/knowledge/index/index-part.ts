import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"

export interface Indexed
  extends Pick<
    Mem,
    | "id"
    | "origin_task_id"
    | "status"
    | "origin"
    | "content"
    | "reason"
    | "tags"
    | "evidence"
    | "supersedes"
    | "parent_mem_id"
    | "related_to"
  > {
  kind: Mem["kind"] | typeof FAILED_TASK
}

/** The fields that the index stores about a mem besides its words. The mem's text stays in the graph or in the archive. */
export interface Entry {
  id: string
  kind: Indexed["kind"]
  task: string | null
  status: Mem["status"]
  supersedes: string | null
  parent: string | null
  links: readonly string[]
  isByRule: boolean
}

export interface TermItems {
  term: string
  items: Uint32Array
}

export interface PartDoc {
  doc: number
  id: string
  detail: string
  length: number
}

/** A part of the recall index: one file, or the entries in memory. Within it, a mem has a number (`doc`). */
export interface IndexPart {
  readonly range: number
  readonly size: number
  readonly totalLength: number
  /** The number of words of each mem, by `doc`; 0 for a removed mem. */
  readonly lengths: Uint16Array
  /** True if posting lists may still name removed mems. */
  readonly hasRemoved: boolean
  docWith(id: string): number | undefined
  entry(doc: number): Entry | undefined
  items(term: string): Uint32Array | undefined
  terms(from?: string): Generator<TermItems, void, void>
  /** Yields mems sorted by id, without failed tasks, because files do not store those. */
  docs(): Generator<PartDoc, void, void>
  remove(doc: number): void
}

/** Packs one item of a posting list: 23 bits for the mem's number, 8 bits for the term's weight in that mem. */
export function posting(doc: number, weight: number): number {
  return (doc << WEIGHT_BITS) | Math.min(weight, MAX_WEIGHT)
}

export const docOf = (item: number): number => item >>> WEIGHT_BITS

export const weightOf = (item: number): number => item & MAX_WEIGHT

export function isFailedWork(task: Task | undefined): task is Task {
  return task?.status === "failed" && task.purpose === "work"
}

/** Failed tasks are indexed like `false_path` mems: their goal and the reason of the failure are worth recalling. */
export function failedTaskText({ id, title, expected_output, file, file_locks, reason }: Task): Indexed {
  return {
    id,
    kind: FAILED_TASK,
    origin_task_id: null,
    status: "active",
    origin: "saved",
    content: expected_output === title ? title : `${title}\n${expected_output}`,
    reason,
    tags: [],
    evidence: [...(file === null ? [] : [file]), ...file_locks].slice(0, MAX_FILES),
    supersedes: null,
    parent_mem_id: null,
    related_to: [],
  }
}

/** Prefixes of terms that are no words but relations between records. They sort before any text. */
export const TIES = { task: "\u0001", link: "\u0002", replaces: "\u0003" }
export const FAILED_TASK = "failed task"
const MAX_FILES = 10
const WEIGHT_BITS = 8
const MAX_WEIGHT = 255
export const MAX_DOCS = 1 << 23
