import type { Transaction } from "../../graph/transaction.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import type { FileState } from "./file-look.ts"

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
