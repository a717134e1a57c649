import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { uniqueId } from "../../graph/unique-id.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Ledger, Line } from "../cost/ledger.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"

export type CostBy = "plan" | "task" | "session" | "delegate" | "model"

/** What one of them took, the dearest first. */
export interface CostRow extends Line {
  /** What other commands take: the start of an id, a session's stamp, a model's name. */
  short: string
}

export function listCosts(
  hive: Hive,
  ledger: Ledger,
  { by, words }: { by: CostBy; words?: string },
  paging: Paging = EVERYTHING,
): Page<CostRow> {
  const { state } = hive.store.read()
  const lines = linesOf(ledger, by).filter(({ title }) => hasWords(words, title))
  return pageWith(lines, paging, (line) => ({ ...line, short: nameOf(state, by, line.id) }))
}

function linesOf({ plans, sessions, delegates, models }: Ledger, by: CostBy): readonly Line[] {
  if (by !== "task") return { plan: plans, session: sessions, delegate: delegates, model: models }[by]
  return plans.flatMap(({ tasks }) => tasks).sort((a, b) => b.spent.cost - a.spent.cost)
}

function nameOf(state: GraphState, by: CostBy, id: string): string {
  if (by === "session") return sessionOf(state, id)?.stamp ?? id
  return by === "model" ? id : uniqueId(state, id)
}
