import { compare } from "../../graph/by-age.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { uniqueId } from "../../graph/unique-id.ts"
import type { Hive } from "../../hive/hive.ts"
import { accessOf } from "../../knowledge/memory/access.ts"
import { confidenceAt } from "../../knowledge/memory/confidence.ts"
import { evidenceCheck } from "../../knowledge/memory/evidence.ts"
import { findMem } from "../../knowledge/memory/find.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"

/** A mem in a list. */
export interface MemRow extends Mem {
  /** The start of the id, enough for every command. */
  short: string
}

export interface MemFilter {
  shelf?: string
  kind?: Mem["kind"]
  /** The task's id, or the start of it. */
  task?: string
  /** Also those that were taken back or replaced, as far as they are in the hot set. */
  all?: boolean
  words?: string
}

export interface MemDetail {
  mem: Mem
  archived: boolean
  /** `state` is null where it cannot be told: the evidence names no file, or no hash was taken. */
  evidence: { evidence: string; state: "verified" | "changed" | null }[]
  isUnverified: boolean
  /** As of now. */
  confidence: number
  recalled: { count: number; at: string | null }
}

/** The mems in force, the newest first. */
export function listMemRows(
  hive: Hive,
  { shelf, kind, task, all, words }: MemFilter = {},
  paging: Paging = EVERYTHING,
): Page<MemRow> {
  const { state } = hive.store.read()
  const origin = task === undefined ? undefined : resolveId(state, "task", task)
  const mems = [...state.mem.values()]
    .filter((mem) => all === true || isMemInForce(mem))
    .filter((mem) => shelf === undefined || mem.shelf === shelf)
    .filter((mem) => kind === undefined || mem.kind === kind)
    .filter((mem) => origin === undefined || mem.origin_task_id === origin)
    .filter((mem) => hasWords(words, mem.content, mem.reason, ...mem.tags))
    .sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id))
  return pageWith(mems, paging, (mem) => ({ ...mem, short: uniqueId(state, mem.id) }))
}

export function memDetail(hive: Hive, given: string): MemDetail {
  const { mem, isArchived } = findMem(hive, given)
  const check = evidenceCheck(hive.dir)
  const evidence = mem.evidence.map((each) => ({ evidence: each, state: stateOf(check(each)) }))
  const isUnverified = evidence.some(({ state }) => state === "changed")
  return {
    mem,
    archived: isArchived,
    evidence,
    isUnverified,
    confidence: confidenceAt(mem, hive.source.now(), isUnverified),
    recalled: accessOf(hive.store.read().state, mem.id),
  }
}

function stateOf(isSame: boolean | undefined): "verified" | "changed" | null {
  return isSame === undefined ? null : isSame ? "verified" : "changed"
}
