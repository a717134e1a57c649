import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"

/** An indexed record: a mem, or a failed task that reads like one. */
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

/** Facts about a mem in the index, besides its words. The text stays in the graph or in the archive. */
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

/** A mem of a part, as it is written to a file. */
export interface PartDoc {
  doc: number
  id: string
  detail: string
  length: number
}

/** A part of the index: one file, or the entries in memory. A mem is known by its number (`doc`) within the part. */
export interface IndexPart {
  /** Highest number + 1. */
  readonly range: number
  readonly size: number
  /** Words in all of its mems. */
  readonly totalLength: number
  /** Words per mem, by number; 0 for a removed one. */
  readonly lengths: Uint16Array
  /** True if posting lists may still name removed mems. */
  readonly hasRemoved: boolean
  docWith(id: string): number | undefined
  entry(doc: number): Entry | undefined
  items(term: string): Uint32Array | undefined
  /** Sorted, from this term on. */
  terms(from?: string): Generator<TermItems, void, void>
  /** Mems sorted by id; failed tasks are left out, because files do not hold them. */
  docs(): Generator<PartDoc, void, void>
  remove(doc: number): void
}

/** One item of a posting list: 23 bits for the mem's number, 8 for the term's weight in it. */
export function posting(doc: number, weight: number): number {
  return (doc << WEIGHT_BITS) | Math.min(weight, MAX_WEIGHT)
}

export function docOf(item: number): number {
  return item >>> WEIGHT_BITS
}

export function weightOf(item: number): number {
  return item & MAX_WEIGHT
}

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

/** Relations between records are indexed as terms too. These prefixes sort before any text. */
export const TIES = { task: "\u0001", link: "\u0002", replaces: "\u0003" }
export const FAILED_TASK = "failed task"
const MAX_FILES = 10
const WEIGHT_BITS = 8
const MAX_WEIGHT = 255
/** Further mems are not indexed. */
export const MAX_DOCS = 1 << 23
