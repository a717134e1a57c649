import { isDoneTask, isOpenPlan } from "../../graph/lifecycle.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import { isMarkdown } from "./sections.ts"

/**
 * The documents of a plan that was abandoned are abandoned with it: its own, unless another open plan goes by the same
 * one, and what its unfinished tasks wrote down. What a completed task left was delivered, and stands.
 */
export function abandonDocuments(tx: Transaction, planId: string, at: string): void {
  for (const artifact of [...tx.all("artifact")]) {
    if (artifact.plan_id !== planId || artifact.status === "abandoned") continue
    if (artifact.task_id === null) passOnOrAbandon(tx, artifact, at)
    else if (isMarkdown(artifact.path) && !isDoneTask(tx.get("task", artifact.task_id)))
      tx.set("artifact", artifact.id, { status: "abandoned", updated_at: at })
  }
}

function passOnOrAbandon(tx: Transaction, { id, path, plan_id }: Artifact, at: string): void {
  const heir = [...tx.all("plan")].find(
    (plan) => plan.id !== plan_id && plan.sot_document_path === path && isOpenPlan(plan),
  )
  if (heir === undefined) tx.set("artifact", id, { status: "abandoned", updated_at: at })
  else tx.set("artifact", id, { plan_id: heir.id, updated_at: at })
}
