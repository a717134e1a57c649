import type { Spent } from "../../schemas/spent.ts"
import { shortForm } from "../cost/ledger.ts"

/** What models took, as people speak of it. */
export interface SpentShort {
  answers: number
  fresh: number
  cached: number
  output: number
  /** In dollars; 0 where the host knows no price. */
  cost: number
}

/** Null where nothing was counted. */
export function spentShort(spent: Spent | undefined): SpentShort | null {
  return spent === undefined || spent.answers === 0 ? null : { answers: spent.answers, ...shortForm(spent) }
}
