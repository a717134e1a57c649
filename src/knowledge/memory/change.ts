import * as z from "zod"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { line, ref } from "../../schemas/fields.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { unblockTasks, waitingForDecision } from "../../work/task/start.ts"
import { writeGraph } from "../../work/write.ts"
import { findMem, staleMems } from "./find.ts"

export const memFlag = z.strictObject({ mem_id: ref, reason: line })
export const memLink = z.strictObject({ from: ref, to: ref })
export const memPurge = z.strictObject({ mem_id: ref.optional() })

/** Invalidates a mem that was wrong or whose attempt failed. It stays as a warning, with the reason. */
export function flagMem(hive: Hive, caller: Caller, input: z.infer<typeof memFlag>): Promise<Mem> {
  return changeMem(hive, caller, input.mem_id, (tx, { id }, at) => {
    tx.set("mem", id, { status: "invalidated", kind: "false_path", reason: input.reason, updated_at: at })
    unblockTasks(tx, waitingForDecision(tx, id), at)
  })
}

/** Links a mem to another record: recalling one also finds the other. */
export function linkMem(hive: Hive, caller: Caller, input: z.infer<typeof memLink>): Promise<Mem> {
  const to = anyId(hive, input.to)
  return changeMem(hive, caller, input.from, (tx, { id, related_to }, at) => {
    if (id === to || related_to.includes(to)) return
    tx.set("mem", id, { related_to: [...related_to, to], updated_at: at })
  })
}

/** Purges one mem, or all expired mems, and returns their ids. Purged mems are never shown again; the log keeps them. */
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
  return writeGraph(hive, caller, (tx, at) => {
    const present = due.filter((id) => isMemInForce(tx.get("mem", id)))
    for (const id of present) tx.set("mem", id, { status: "purged", updated_at: at })
    return present
  })
}

function anyId(hive: Hive, given: string): string {
  try {
    return findMem(hive, given).mem.id
  } catch {
    // No mem has this id. Another record may have it; otherwise this throws.
    return resolveId(hive.store.read().state, "any", given)
  }
}

async function changeMem(
  hive: Hive,
  caller: Caller,
  given: string,
  apply: (tx: Transaction, mem: Mem, at: string) => void,
): Promise<Mem> {
  const { mem } = findMem(hive, given)
  return writeGraph(hive, caller, (tx, at) => {
    apply(tx, tx.get("mem", mem.id) ?? tx.add("mem", mem), at)
    return tx.need("mem", mem.id)
  })
}
