import { isGoneDocument } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import { documentOfPlan, isUnchanged, wasWrittenByTask } from "../../project/document/known-state.ts"
import { describeDiff, diffSections } from "../../project/document/section-diff.ts"
import type { Plan } from "../../schemas/plan.ts"

/**
 * What the plan's line says about its document: the path, and which sections were edited from outside. The file itself
 * is asked where that is possible: the first message of a session comes before any check of its own has run.
 */
export function planDocument(
  state: GraphState,
  plan: Plan,
  look: FileLook,
): { document?: string | null; document_changed?: string } {
  const artifact = documentOfPlan(state, plan)
  const document = artifact?.path ?? plan.sot_document_path
  if (document === null || isGoneDocument(artifact)) return {}
  const now = look(document)
  if (now === null) return {}
  if (artifact === undefined || artifact.hash === null) return { document }
  if (now === undefined)
    return artifact.status === "changed" ? { document, document_changed: "yes" } : { document }
  if (isUnchanged(artifact, now) || wasWrittenByTask(state, artifact)) return { document }
  return { document, document_changed: describeDiff(diffSections(artifact.sections, now.sections)) }
}
