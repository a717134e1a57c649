import type { Entry } from "../schemas/journal.ts"
import { recordSchemas } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import { firstIssue } from "./state.ts"
import type { Transaction } from "./transaction.ts"

/** Puts the opposite of an entry into a transaction. Refused where a later entry changed the same thing. */
export function undoEntry(tx: Transaction, entry: Entry): void {
  for (const op of [...entry.ops].reverse()) {
    switch (op.op) {
      case "add": {
        const id = String(op.record["id"])
        const now = tx.get(op.kind, id)
        if (now === undefined) throw changed(entry, `${op.kind} ${id} is gone`)
        const differs = Object.entries(op.record).find(([field, value]) => !same(fieldOf(now, field), value))
        if (differs !== undefined) throw changed(entry, `${op.kind} ${id}: "${differs[0]}" has changed since`)
        tx.drop(op.kind, id)
        break
      }
      case "set": {
        const now = tx.get(op.kind, op.id)
        if (now === undefined) throw changed(entry, `${op.kind} ${op.id} is gone`)
        for (const [field, value] of Object.entries(op.to)) {
          if (field === "updated_at" || same(fieldOf(now, field), value)) continue
          throw changed(entry, `${op.kind} ${op.id}: "${field}" has changed since`)
        }
        tx.set(op.kind, op.id, op.was)
        break
      }
      case "drop": {
        const record = recordSchemas[op.kind].safeParse(op.was)
        if (!record.success) throw changed(entry, firstIssue(record.error))
        tx.add(op.kind, record.data)
        break
      }
      // What was measured has happened, whatever is taken back.
      case "count":
      case "register":
      case "mark":
    }
  }
}

function changed(entry: Entry, evidence: string): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${entry.id} cannot be undone.`,
    why: "Later entries have changed what it wrote.",
    use_instead: "Undo those first (`hivemind log` lists them), or make the change by hand.",
    evidence,
  })
}

function fieldOf(record: object, field: string): unknown {
  return (record as Record<string, unknown>)[field]
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
