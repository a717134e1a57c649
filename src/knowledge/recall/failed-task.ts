import type { Task } from "../../schemas/task.ts"
import type { Indexed } from "./term-index.ts"

/** Work that was tried and given up: what it was to do, and why it failed, is knowledge like a false path. */
export function isFailedWork(task: Task | undefined): task is Task {
  return task?.status === "failed" && task.purpose === "work"
}

/** A failed task as the index holds it, among the mems: which words are rare shows only there. */
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

export const FAILED_TASK = "failed task"
const MAX_FILES = 10
