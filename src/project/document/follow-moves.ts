import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { FileLook } from "./file-look.ts"
import { fileId, recordFile } from "./record-file.ts"

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
  look: FileLook,
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
