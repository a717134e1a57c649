import { existsSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { isOpenTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { tasksIn } from "../../graph/tasks-in.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import type { Pausing } from "../../shared/slices.ts"

/** What is missing before a task may be completed; empty if nothing is. A task can have very many files. */
export function* missingEvidence(state: GraphState, task: Task, projectDir: string): Pausing<string[]> {
  const missing: string[] = []
  // Taken before the first pause: what comes later is not part of the answer.
  const trail = [...state.checkpoint.by("task_id", task.id)]
  const artifacts = [...state.artifact.by("task_id", task.id)]
  const open = [...tasksIn(state, "level", task.id, isOpenTask)]
  const wasRemoved = removedIn(trail)
  for (const { path } of artifacts) {
    if (!isInside(projectDir, path)) missing.push(`${path} lies outside the project`)
    else if (!existsSync(join(projectDir, path)) && !wasRemoved(path)) missing.push(`${path} does not exist`)
    yield
  }
  if (task.verify !== null && !(yield* isVerified(task.verify, trail))) {
    const why = (yield* hasRun(task.verify, trail))
      ? "has not passed since the last edit"
      : "has not been run"
    missing.push(`\`${task.verify}\` ${why}`)
  }
  for (const part of open) missing.push(`its part "${part.title}" is ${part.status}`)
  return missing
}

/** True if the command ran successfully after the last edit of the task. */
function* isVerified(verify: string, trail: readonly Checkpoint[]): Pausing<boolean> {
  for (const { command, files, ok } of trail.toReversed()) {
    // A longer command that also wrote files was an edit.
    const isEdit = files.length > 0 && words(command ?? "") !== words(verify)
    if (isEdit) return false
    if (isRunOf(verify, command)) return ok
    if (files.length > 0) return false
    yield
  }
  return false
}

function* hasRun(verify: string, trail: readonly Checkpoint[]): Pausing<boolean> {
  for (const { command } of trail) {
    if (isRunOf(verify, command)) return true
    yield
  }
  return false
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

/**
 * Tells whether a file that was written may be gone because the task deleted it: with the call that wrote it
 * last, or by a command since then.
 */
export function removedIn(trail: readonly Checkpoint[]): (path: string) => boolean {
  let writes: Map<string, { checkpoint: Checkpoint; at: number }> | undefined
  const lastCommand = trail.findLastIndex(({ command }) => command !== null)
  return (path) => {
    // Only needed where a file is gone.
    writes ??= new Map(
      trail.flatMap((checkpoint, at) => checkpoint.files.map((file) => [file, { checkpoint, at }] as const)),
    )
    const last = writes.get(path)
    return last !== undefined && (last.checkpoint.removed.includes(path) || lastCommand >= last.at)
  }
}

/** True if the project has such a file. Paths outside of it are not looked at. */
export function existsIn(projectDir: string, path: string): boolean {
  return isInside(projectDir, path) && existsSync(join(projectDir, path))
}

function isInside(projectDir: string, path: string): boolean {
  const inside = relative(projectDir, join(projectDir, path))
  return !inside.startsWith("..") && !isAbsolute(inside) && !isAbsolute(path)
}
