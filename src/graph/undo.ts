import { type Entry, isReturn } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { isSetOf, type Op } from "../schemas/op.ts"
import { HiveError } from "../shared/error.ts"
import { isMemInForce } from "./lifecycle.ts"
import { isSame } from "./state.ts"
import type { Transaction } from "./transaction.ts"

/** Reverts an entry's ops in a transaction. Throws if a later entry has changed the same fields. */
export function undoEntry(
  tx: Transaction,
  entry: Entry,
  archived: (id: string) => Mem | undefined = () => undefined,
  /** Archived mems that supersede mems of the entry. */
  replacing: readonly Mem[] = [],
): void {
  tx.putBack()
  for (const op of [...entry.ops].reverse()) {
    switch (op.op) {
      case "add": {
        const { id } = op.record
        const field = changedField(tx.get(op.kind, id), op.record)
        if (field !== undefined) throw changed(entry, `${op.kind} ${id} ${field}`)
        if (!isReturn(entry, op)) tx.drop(op.kind, id)
        break
      }
      case "set": {
        const { updated_at: _, ...to }: Change = op.to
        const field = changedField(tx.get(op.kind, op.id), to)
        if (field !== undefined) throw changed(entry, `${op.kind} ${op.id} ${field}`)
        if (!isReplacedElsewhere(tx, entry, op, replacing)) tx.set(op.kind, op.id, op.was)
        break
      }
      case "drop":
        tx.add(op.kind, op.was)
        break
      case "archive": {
        const mem = archived(op.id)
        if (mem === undefined) throw changed(entry, `mem ${op.id} is not in the archive`)
        tx.add("mem", mem)
        break
      }
      // Counters and registers cannot be undone.
    }
  }
}

export function replacedIn({ ops }: Entry): Set<string> {
  return new Set(ops.flatMap((op) => (isSetOf(op, "mem") && op.to.status === "superseded" ? op.id : [])))
}

/** True if another entry's mem also supersedes this mem, as after a sync. The undo then leaves it superseded. */
function isReplacedElsewhere(tx: Transaction, { ops }: Entry, op: Op, replacing: readonly Mem[]): boolean {
  if (!isSetOf(op, "mem") || op.to.status !== "superseded") return false
  const own = new Set(ops.flatMap((each) => (each.op === "add" ? each.record.id : [])))
  const isOther = (mem: Mem) => !own.has(mem.id) && isMemInForce(mem)
  for (const mem of tx.by("mem", "supersedes", op.id)) if (isOther(mem)) return true
  return replacing.some(
    (mem) => mem.supersedes === op.id && isOther(mem) && tx.get("mem", mem.id) === undefined,
  )
}

type Change = Readonly<Record<string, unknown>>

function changedField(now: Change | undefined, then: Change): string | undefined {
  if (now === undefined) return "is gone"
  const field = Object.keys(then).find((each) => !isSame(now[each], then[each]))
  return field === undefined ? undefined : `has another "${field}" since`
}

function changed(entry: Entry, evidence: string): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${entry.id} cannot be undone.`,
    why: "Later entries have changed its records.",
    use_instead: "Undo the later entries first (`hivemind log` lists them), or make the change by hand.",
    evidence,
  })
}
