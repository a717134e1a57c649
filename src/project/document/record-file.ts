import { ALL } from "../../graph/indexes.ts"
import { isDoneTask, isGoneDocument, isKnowledge, isOpenPlan, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { memsBy } from "../../graph/mem-status.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Artifact, Mem } from "../../schemas/knowledge.ts"
import type { Plan } from "../../schemas/plan.ts"
import { derivedId } from "../../shared/ids.ts"
import type { FileState, FileStatusLookup } from "./file-status.ts"
import { isMarkdown, sameSections } from "./sections.ts"

/** The id of the record of a file that an anchor or plan names: derived from its path, so the same in every process. */
export function fileId(path: string): string {
  return derivedId("file", path)
}

/** Records the current state of a file. Anchors that relied on an earlier state become stale. */
export function recordFile(
  tx: Transaction,
  path: string,
  now: FileState,
  { at, stamp, plan_id }: { at: string; stamp: string; plan_id?: string | null },
): Artifact {
  const id = fileId(path)
  if (tx.get("artifact", id) === undefined) {
    const owners = { task_id: null, plan_id: plan_id ?? null, superseded_by: null }
    const times = { created_at: at, updated_at: at, stamp }
    const { hash, sections } = now
    tx.add("artifact", { id, path, ...owners, hash, sections, status: "current", ...times })
  } else {
    recordFileState(tx, id, now, at)
    if (plan_id !== undefined) tx.set("artifact", id, { plan_id })
  }
  return tx.need("artifact", id)
}

/** Updates a record to the file's state. A deleted file (null) is not watched until it is recorded again. */
export function recordFileState(tx: Transaction, id: string, now: FileState | null, at: string): void {
  const before = tx.need("artifact", id)
  const hash = now?.hash ?? null
  if (before.hash !== null && before.hash !== hash)
    for (const anchor of [...tx.by("anchor", "related_to", id)])
      if (anchor.status === "active") tx.set("anchor", anchor.id, { status: "stale" })
  const sections = now?.sections ?? []
  tx.set("artifact", id, { hash, sections, status: "current", superseded_by: null, updated_at: at })
}

/** Whether the file is as recorded. Documents are compared by sections, so that other line endings are no change. */
export function isUnchanged({ hash, sections }: Artifact, now: FileState): boolean {
  return hash === now.hash || (sections.length > 0 && sameSections(sections, now.sections))
}

export function wasWrittenByTask(state: GraphState, { path, updated_at }: Artifact): boolean {
  const [newest] = state.checkpoint.by("wrote", path).backwards()
  return newest !== undefined && newest.created_at > updated_at
}

export function documentOfPlan(state: GraphState, { sot_document_path: path }: Plan): Artifact | undefined {
  let artifact = path === null ? undefined : state.artifact.get(fileId(path))
  for (let steps = 0; artifact?.status === "superseded" && steps < MAX_STEPS; steps++)
    artifact = state.artifact.get(artifact.superseded_by ?? "") ?? artifact
  return artifact
}

export interface MovedFile {
  from: string
  to: string
}

/** The moved files that have a record under their old path, because a plan or anchor relies on them. */
export function knownMoves(state: GraphState, moved: readonly MovedFile[]): MovedFile[] {
  return moved.filter(({ from }) => isHere(state.artifact.get(fileId(from))))
}

/** Records moved files under their new path, so that plans find their documents. Returns how many were recorded. */
export function followMoves(
  tx: Transaction,
  moved: readonly MovedFile[],
  look: FileStatusLookup,
  { at, stamp }: { at: string; stamp: string },
): number {
  let count = 0
  for (const { from, to } of moved) {
    const before = tx.get("artifact", fileId(from))
    const now = look(to)
    if (before === undefined || !isHere(before) || now == null) continue
    const { id } = recordFile(tx, to, now, { at, stamp, plan_id: before.plan_id })
    tx.set("artifact", before.id, { status: "superseded", superseded_by: id, updated_at: at })
    count++
  }
  return count
}

function isHere(artifact: Artifact | undefined): boolean {
  return artifact !== undefined && artifact.hash !== null && ["current", "changed"].includes(artifact.status)
}

/**
 * Abandons the documents of an abandoned plan: the plan's own, unless another open plan uses it too, and those of its
 * unfinished tasks. Documents of completed tasks stay, as they were delivered.
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

// Limits a loop that follows `superseded_by`, because a manual edit of the records can make a cycle.
const MAX_STEPS = 10

/** Finds mems that would mislead the model: about an abandoned or superseded document, and of a task that is not under way. */
export function memsOnGoneDocuments(state: GraphState): Set<Mem> {
  const mems = new Set<Mem>()
  for (const { id, path } of state.artifact.by("gone", ALL)) {
    const about = [...memsBy(state, "path", path), ...memsBy(state, "related_to", id)]
    // Several records can be about one path. The document is gone only if all of them say so.
    if (about.length === 0 || [...state.artifact.by("path", path)].some((each) => !isGoneDocument(each)))
      continue
    // Excludes false paths, which are still useful warnings, and open decisions, which must still be made.
    for (const mem of about)
      if (isKnowledge(mem) && !isTaskUnderWay(state.task.get(mem.origin_task_id ?? ""))) mems.add(mem)
  }
  return mems
}
