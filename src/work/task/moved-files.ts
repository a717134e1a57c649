import type { GraphState } from "../../graph/state.ts"
import { findMoved } from "../../project/tree/moved.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import type { Pausing } from "../../shared/slices.ts"

/** Those of the files that are gone which somebody has moved: not the task, whose commands may do that as they like. */
export function* movedAmong(
  state: GraphState,
  trail: readonly Checkpoint[],
  gone: readonly string[],
  projectDir: string,
): Pausing<Set<string>> {
  const lost = new Set(gone)
  const written = new Map<string, number>()
  for (const { files, created_at } of lost.size === 0 ? [] : trail)
    for (const path of files) if (lost.has(path)) written.set(path, Date.parse(created_at))
  const isOther = (path: string, writtenMs: number) => {
    const [earliest] = state.checkpoint.by("wrote", path)
    return earliest !== undefined && Date.parse(earliest.created_at) <= writtenMs
  }
  return yield* findMoved(projectDir, written, isOther)
}
