import { existsSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { isOpenTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"

/** What is missing before a task may be completed; empty if nothing is. */
export function missingEvidence(state: GraphState, task: Task, projectDir: string): string[] {
  const missing: string[] = []
  const trail = trailOf(state, task.id)
  for (const { path } of artifactsOf(state, task.id)) {
    if (!isInside(projectDir, path)) missing.push(`${path} lies outside the project`)
    else if (!existsSync(join(projectDir, path)) && !wasRemoved(trail, path))
      missing.push(`${path} does not exist`)
  }
  if (task.verify !== null && !isVerified(task.verify, trail)) {
    const hasRun = trail.some((checkpoint) => isRunOf(task.verify ?? "", checkpoint.command))
    const why = hasRun ? "has not passed since the last edit" : "has not been run"
    missing.push(`\`${task.verify}\` ${why}`)
  }
  const open = [...state.task.values()].filter(
    (other) => other.parent_task_id === task.id && isOpenTask(other),
  )
  for (const part of open) missing.push(`its part "${part.title}" is ${part.status}`)
  return missing
}

/** True if the command ran successfully after the last edit of the task. */
function isVerified(verify: string, trail: Checkpoint[]): boolean {
  let passed = false
  for (const checkpoint of trail) {
    const isRun = isRunOf(verify, checkpoint.command)
    // A longer command that also wrote files was an edit.
    const isEdit = checkpoint.files.length > 0 && words(checkpoint.command ?? "") !== words(verify)
    if (isRun && !isEdit) passed = checkpoint.ok
    else if (checkpoint.files.length > 0) passed = false
  }
  return passed
}

/**
 * The command itself, or a plain chain with `&&` that ends in it: only then does success mean that it succeeded.
 * `npm test; true` or a line in a heredoc would prove nothing.
 */
export function isRunOf(verify: string, command: string | null): boolean {
  if (command === null) return false
  if (words(command) === words(verify)) return true
  const parts = command.split("&&")
  const last = parts.pop() ?? ""
  return words(last) === words(verify) && parts.every((part) => !/[;|&<>`$()'"\n\\]/.test(part))
}

function words(command: string): string {
  return command.trim().replaceAll(/\s+/g, " ")
}

function trailOf(state: GraphState, taskId: string): Checkpoint[] {
  return [...state.checkpoint.values()]
    .filter((checkpoint) => checkpoint.task_id === taskId)
    .sort((a, b) => a.created_at.localeCompare(b.created_at))
}

function artifactsOf(state: GraphState, taskId: string): Artifact[] {
  return [...state.artifact.values()].filter((artifact) => artifact.task_id === taskId)
}

/** A file may be gone because the task deleted it: with the call that wrote it last, or by a command since then. */
export function wasRemoved(trail: Checkpoint[], path: string): boolean {
  const last = trail.findLastIndex(({ files }) => files.includes(path))
  const wrote = trail[last]
  if (wrote === undefined) return false
  return wrote.removed.includes(path) || trail.slice(last).some(({ command }) => command !== null)
}

/** True if the project has such a file. Paths outside of it are not looked at. */
export function existsIn(projectDir: string, path: string): boolean {
  return isInside(projectDir, path) && existsSync(join(projectDir, path))
}

function isInside(projectDir: string, path: string): boolean {
  const inside = relative(projectDir, join(projectDir, path))
  return !inside.startsWith("..") && !isAbsolute(inside) && !isAbsolute(path)
}
