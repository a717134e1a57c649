import * as z from "zod"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { line, ref } from "../../schemas/fields.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { unblockTasks, waitingForDecision } from "../../work/task/unblock.ts"
import { type FoundMem, findMem } from "./find.ts"
import { staleMems } from "./stale.ts"

export const memFlag = z.strictObject({ mem_id: ref, reason: line })
export const memLink = z.strictObject({ from: ref, to: ref })
export const memPurge = z.strictObject({ mem_id: ref.optional() })

/** Takes a mem back: it was wrong, or failed. From then on it is a warning, with the reason. */
export function flagMem(hive: Hive, caller: Caller, input: z.infer<typeof memFlag>): Promise<Mem> {
  return change(hive, caller, findMem(hive, input.mem_id), (tx, { id }, at) => {
    tx.set("mem", id, { status: "invalidated", kind: "false_path", reason: input.reason, updated_at: at })
    // Nobody waits for a decision that was taken back.
    unblockTasks(tx, waitingForDecision(tx, id), at)
  })
}

/** Says that a mem has to do with another, or with any record: recall of one brings the other along. */
export function linkMem(hive: Hive, caller: Caller, input: z.infer<typeof memLink>): Promise<Mem> {
  const to = idOf(hive, input.to)
  return change(hive, caller, findMem(hive, input.from), (tx, { id, related_to }, at) => {
    if (id === to || related_to.includes(to)) return
    tx.set("mem", id, { related_to: [...related_to, to], updated_at: at })
  })
}

/** Purges one mem, or all that are past their time. Nothing shows them again; the log keeps them. Returns their ids. */
export async function purgeMems(
  hive: Hive,
  caller: Caller,
  input: z.infer<typeof memPurge>,
): Promise<string[]> {
  if (input.mem_id !== undefined) {
    const purged = await change(hive, caller, findMem(hive, input.mem_id), purge)
    return [purged.id]
  }
  const due = staleMems(hive).map(({ id }) => id)
  if (due.length === 0) return []
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const there = due.filter((id) => isMemInForce(tx.get("mem", id)))
    for (const id of there) tx.set("mem", id, { status: "purged", updated_at: at })
    return there
  })
  return result
}

/** Of any record: among mems in the archive too. */
function idOf(hive: Hive, given: string): string {
  try {
    return findMem(hive, given).mem.id
  } catch {
    // It is no mem, then; this says so where it is nothing else either.
    return resolveId(hive.store.read().state, "any", given)
  }
}

function purge(tx: Transaction, { id, status }: Mem, at: string): void {
  if (status !== "purged") tx.set("mem", id, { status: "purged", updated_at: at })
}

/** Changes a mem; one in the archive comes back for that. */
async function change(
  hive: Hive,
  caller: Caller,
  { mem }: FoundMem,
  apply: (tx: Transaction, mem: Mem, at: string) => void,
): Promise<Mem> {
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const now = tx.get("mem", mem.id) ?? tx.add("mem", mem)
    apply(tx, now, at)
    return tx.need("mem", mem.id)
  })
  return result
}
