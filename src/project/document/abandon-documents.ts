import { ALL } from "../../graph/indexes.ts"
import { isDoneTask, isOpenPlan } from "../../graph/lifecycle.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import { isMarkdown } from "./sections.ts"

/**
 * Abandons the documents of an abandoned plan: its own, unless another open plan has the same one, and those of its
 * unfinished tasks. What a completed task wrote was delivered, and stays.
 */
export function abandonDocuments(tx: Transaction, planId: string, at: string): void {
  for (const artifact of [...tx.by("artifact", "plan_id", planId)]) {
    if (artifact.status === "abandoned") continue
    if (artifact.task_id === null) passOnOrAbandon(tx, artifact, at)
    else if (isMarkdown(artifact.path) && !isDoneTask(tx.get("task", artifact.task_id)))
      tx.set("artifact", artifact.id, { status: "abandoned", updated_at: at })
  }
}

function passOnOrAbandon(tx: Transaction, { id, path, plan_id }: Artifact, at: string): void {
  const heir = [...tx.by("plan", "documented", ALL)].find(
    (plan) => plan.id !== plan_id && plan.sot_document_path === path && isOpenPlan(plan),
  )
  if (heir === undefined) tx.set("artifact", id, { status: "abandoned", updated_at: at })
  else tx.set("artifact", id, { plan_id: heir.id, updated_at: at })
}
