import { ALL } from "../../graph/indexes.ts"
import { isDoneTask, isGivenUpTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import { HOUR_MS } from "../../shared/time.ts"

export interface StaleAnchor {
  anchor: Anchor
  /** A changed file or an ended task is marked in the record. Age is not: it is computed each time. */
  why: "file" | "task" | "age"
}

/** Anchors that have become stale and are not marked yet, each with the strongest reason. */
export function staleAnchors(
  state: GraphState,
  files: FileLook,
  now: number,
  anchors: Iterable<Anchor> = state.anchor.by("kept", ALL),
): StaleAnchor[] {
  const stale: StaleAnchor[] = []
  for (const anchor of anchors) {
    if (anchor.status !== "active") continue
    const why = hasOtherFile(state, anchor, files)
      ? "file"
      : hasEndedTask(state, anchor)
        ? "task"
        : isOld(anchor, now)
          ? "age"
          : undefined
    if (why !== undefined) stale.push({ anchor, why })
  }
  return stale
}

export function isOld(anchor: Anchor, now: number): boolean {
  return now - Date.parse(anchor.updated_at) > FRESH_HOURS * HOUR_MS
}

function hasOtherFile(state: GraphState, anchor: Anchor, files: FileLook): boolean {
  return anchor.related_to.some((id) => {
    const artifact = state.artifact.get(id)
    if (artifact === undefined || artifact.hash === null) return false
    const now = files(artifact.path)
    return now !== undefined && now?.hash !== artifact.hash
  })
}

/** An end before the anchor's last update was known at that time. */
function hasEndedTask(state: GraphState, { related_to, type, updated_at }: Anchor): boolean {
  return related_to.some((id) => {
    const task = state.task.get(id)
    if (task === undefined || task.updated_at <= updated_at) return false
    return isGivenUpTask(task) || (type === "task" && isDoneTask(task))
  })
}

export const FRESH_HOURS = 48
