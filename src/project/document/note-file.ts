import type { Transaction } from "../../graph/transaction.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import type { FileState } from "./file-look.ts"

/** The record of a file that anchors rest on or a plan names: one per path, whoever comes first. */
export function fileId(path: string): string {
  return derivedId("file", path)
}

/**
 * Takes a file as it is now for the state that is known, and registers it if it is new. Anchors that rest on it as it
 * was are stale from here on: nobody could tell later.
 */
export function noteFile(
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
    takeState(tx, id, now, at)
    if (plan_id !== undefined) tx.set("artifact", id, { plan_id })
  }
  return tx.need("artifact", id)
}

/** The same for a record that is there. A file that is gone (null) is not watched until it is noted again. */
export function takeState(tx: Transaction, id: string, now: FileState | null, at: string): void {
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
  for (const anchor of [...tx.all("anchor")]) {
    if (anchor.status === "active" && anchor.related_to.includes(artifactId))
      tx.set("anchor", anchor.id, { status: "stale" })
  }
}
