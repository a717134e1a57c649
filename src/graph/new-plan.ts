import type { NewRecordOf } from "../schemas/records.ts"
import { madeNow } from "./made.ts"
import type { Transaction } from "./transaction.ts"

type Given = Pick<NewRecordOf<"plan">, "id" | "title"> & Partial<NewRecordOf<"plan">>

/** A plan that is made now: active and without conditions, but for what is given. */
export function newPlan(tx: Transaction, now: number, given: Given): NewRecordOf<"plan"> {
  return {
    ...freePlan(),
    ...madeNow(tx, "plan", now),
    ...given,
  }
}

/** What a plan has of which nobody has said anything. */
export function freePlan() {
  return {
    purpose: "work",
    acceptance: [],
    sot_document_path: null,
    depends_on: [],
    owned_by: null,
    status: "active",
    reason: null,
    completed_at: null,
    summary: null,
  } satisfies Partial<NewRecordOf<"plan">>
}
