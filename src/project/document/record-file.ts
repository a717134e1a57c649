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

/** The id of a file's record, for files that anchors or plans name: one per path, in every process. */
export function fileId(path: string): string {
  return derivedId("file", path)
}

/**
 * Records a file as it is now, and registers it if it is new. Anchors that relied on its old state become stale now:
 * after this the old state is no longer known.
 */
export function recordFile(
  tx: Transaction,
  path: string,
  now: FileState,
  { at, stamp, plan_id }: { at: string; stamp: string; plan_id?: string | null },
): Artifact {
  const id = fileId(path)
  if (tx.get("artifact", id) === undefined) {
    tx.add("artifact", {
      id,
      path,
      task_id: null,
      plan_id: plan_id ?? null,
      hash: now.hash,
      sections: now.sections,
      status: "current",
      superseded_by: null,
      created_at: at,
      updated_at: at,
      stamp,
    })
  } else {
    recordFileState(tx, id, now, at)
    if (plan_id !== undefined) tx.set("artifact", id, { plan_id })
  }
  return tx.need("artifact", id)
}

/** The same for an existing record. A file that is gone (null) is not watched until it is recorded again. */
export function recordFileState(tx: Transaction, id: string, now: FileState | null, at: string): void {
  const before = tx.need("artifact", id)
  const hash = now?.hash ?? null
  if (before.hash !== null && before.hash !== hash) staleAnchorsOf(tx, id)
  tx.set("artifact", id, {
    hash,
    sections: now?.sections ?? [],
    status: "current",
    superseded_by: null,
    updated_at: at,
  })
}

function staleAnchorsOf(tx: Transaction, artifactId: string): void {
  for (const anchor of [...tx.by("anchor", "related_to", artifactId)])
    if (anchor.status === "active") tx.set("anchor", anchor.id, { status: "stale" })
}

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

export interface MovedFile {
  from: string
  to: string
}

/** Those of the moved files that the graph knows by their old place: a plan or an anchor rests on them. */
export function knownMoves(state: GraphState, moved: readonly MovedFile[]): MovedFile[] {
  return moved.filter(({ from }) => isHere(state.artifact.get(fileId(from))))
}

/** Records documents at their new place, so that plans find them there. Returns how many. */
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
 * Abandons the documents of an abandoned plan: its own, unless another open plan has the same one, and those of its
 * unfinished tasks. Documents of completed tasks were delivered, and stay.
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

// A hand-edited circle must not hang a turn.
const MAX_STEPS = 10

/**
 * Mems about a document that was abandoned or superseded: they would mislead, unless their task is under way. Looks
 * only at documents and the mems that name them, so the number of mems does not matter.
 */
export function memsOnGoneDocuments(state: GraphState): Set<Mem> {
  const mems = new Set<Mem>()
  for (const { id, path } of state.artifact.by("gone", ALL)) {
    const about = [...memsBy(state, "path", path), ...memsBy(state, "related_to", id)]
    // A path can have several records: while one of them is current, the file counts.
    if (about.length === 0 || [...state.artifact.by("path", path)].some((each) => !isGoneDocument(each)))
      continue
    // A failure there is still worth a warning, and an open decision still has to be taken.
    for (const mem of about) if (isKnowledge(mem) && !isBeingWorkedOn(state, mem)) mems.add(mem)
  }
  return mems
}

function isBeingWorkedOn(state: GraphState, { origin_task_id }: Mem): boolean {
  return isTaskUnderWay(state.task.get(origin_task_id ?? ""))
}
