import * as z from "zod"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { line, ref } from "../../schemas/fields.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { unblockTasks, waitingForDecision } from "../../work/task/start.ts"
import { findMem, staleMems } from "./find.ts"

export const memFlag = z.strictObject({ mem_id: ref, reason: line })
export const memLink = z.strictObject({ from: ref, to: ref })
export const memPurge = z.strictObject({ mem_id: ref.optional() })

/** Invalidates a mem that was wrong or failed. From then on it is a warning, with the reason. */
export function flagMem(hive: Hive, caller: Caller, input: z.infer<typeof memFlag>): Promise<Mem> {
  return changeMem(hive, caller, input.mem_id, (tx, { id }, at) => {
    tx.set("mem", id, { status: "invalidated", kind: "false_path", reason: input.reason, updated_at: at })
    unblockTasks(tx, waitingForDecision(tx, id), at)
  })
}

/** Links a mem to another record: recall of one brings the other. */
export function linkMem(hive: Hive, caller: Caller, input: z.infer<typeof memLink>): Promise<Mem> {
  const to = anyId(hive, input.to)
  return changeMem(hive, caller, input.from, (tx, { id, related_to }, at) => {
    if (id === to || related_to.includes(to)) return
    tx.set("mem", id, { related_to: [...related_to, to], updated_at: at })
  })
}

/** Purges one mem, or all expired ones. Nothing shows them again; the log keeps them. Returns their ids. */
export async function purgeMems(
  hive: Hive,
  caller: Caller,
  input: z.infer<typeof memPurge>,
): Promise<string[]> {
  if (input.mem_id !== undefined) {
    const purged = await changeMem(hive, caller, input.mem_id, (tx, { id, status }, at) => {
      if (status !== "purged") tx.set("mem", id, { status: "purged", updated_at: at })
    })
    return [purged.id]
  }
  const due = staleMems(hive).map(({ id }) => id)
  if (due.length === 0) return []
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const present = due.filter((id) => isMemInForce(tx.get("mem", id)))
    for (const id of present) tx.set("mem", id, { status: "purged", updated_at: at })
    return present
  })
  return result
}

/** The id of a record of any kind, or of an archived mem. */
function anyId(hive: Hive, given: string): string {
  try {
    return findMem(hive, given).mem.id
  } catch {
    // Not a mem; if it is nothing else either, this throws.
    return resolveId(hive.store.read().state, "any", given)
  }
}

/** An archived mem is brought back for the change. */
async function changeMem(
  hive: Hive,
  caller: Caller,
  given: string,
  apply: (tx: Transaction, mem: Mem, at: string) => void,
): Promise<Mem> {
  const { mem } = findMem(hive, given)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    apply(tx, tx.get("mem", mem.id) ?? tx.add("mem", mem), at)
    return tx.need("mem", mem.id)
  })
  return result
}
