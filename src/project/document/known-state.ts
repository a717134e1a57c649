import type { GraphState } from "../../graph/state.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { FileState } from "./file-look.ts"
import { fileId } from "./record-file.ts"
import { sameSections } from "./section-diff.ts"

/** True if the file is as recorded. A document is compared by its sections, so that other line ends are no change. */
export function isUnchanged({ hash, sections }: Artifact, now: FileState): boolean {
  return hash === now.hash || (sections.length > 0 && sameSections(sections, now.sections))
}

/** True if a task has written the file since its record was updated. */
export function wasWrittenByTask(state: GraphState, { path, updated_at }: Artifact): boolean {
  const [newest] = state.checkpoint.by("wrote", path).backwards()
  return newest !== undefined && newest.created_at > updated_at
}

/** The record of a plan's document, or of the file that superseded it. */
export function documentOfPlan(state: GraphState, { sot_document_path: path }: Plan): Artifact | undefined {
  let artifact = path === null ? undefined : state.artifact.get(fileId(path))
  for (let steps = 0; artifact?.status === "superseded" && steps < MAX_STEPS; steps++)
    artifact = state.artifact.get(artifact.superseded_by ?? "") ?? artifact
  return artifact
}

// A hand-edited circle must not hang a turn.
const MAX_STEPS = 10
