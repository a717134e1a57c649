import { compare } from "../../graph/by-age.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { resolveId, uniqueId } from "../../graph/resolve-id.ts"
import type { Hive } from "../../hive/hive.ts"
import { listAnchors, requireAnchor } from "../../knowledge/anchor/anchors.ts"
import { confidenceAt, evidenceCheck } from "../../knowledge/memory/evidence.ts"
import { accessOf, findMem } from "../../knowledge/memory/find.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"

export interface MemRow extends Mem {
  short: string
}

export interface MemFilter {
  shelf?: string
  kind?: Mem["kind"]
  /** A task id or the start of one. */
  task?: string
  /** Include invalidated and superseded mems of the hot set. */
  all?: boolean
  words?: string
}

export interface MemDetail {
  mem: Mem
  archived: boolean
  /** `state` is null if the evidence names no file or has no hash. */
  evidence: { evidence: string; state: "verified" | "changed" | null }[]
  isUnverified: boolean
  confidence: number
  recalled: { count: number; at: string | null }
}

/** Mems in force, newest first. */
export function listMemRows(
  hive: Hive,
  { shelf, kind, task, all, words }: MemFilter = {},
  paging: Paging = EVERYTHING,
): Page<MemRow> {
  const { state } = hive.store.read()
  const origin = task === undefined ? undefined : resolveId(state, "task", task)
  const mems = [...state.mem.values()]
    .filter((mem) => (all === true ? mem.status !== "purged" : isMemInForce(mem)))
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

/** An anchor in a list. */
export interface AnchorRow extends Anchor {
  /** Short unique id. */
  short: string
  isStale: boolean
  /** Why it has its place in the list. */
  why: string
}

export interface AnchorFilter {
  priority?: Anchor["priority"]
  type?: Anchor["type"]
  /** Only stale ones. */
  stale?: boolean
  words?: string
}

/** Anchors that were not removed, highest score first. */
export function listAnchorRows(
  hive: Hive,
  { priority, type, stale, words }: AnchorFilter = {},
  paging: Paging = EVERYTHING,
): Page<AnchorRow> {
  const { state } = hive.store.read()
  const anchors = listAnchors(hive, null)
    .filter(({ anchor }) => priority === undefined || anchor.priority === priority)
    .filter(({ anchor }) => type === undefined || anchor.type === type)
    .filter(({ isStale }) => stale !== true || isStale)
    .filter(({ anchor }) => hasWords(words, anchor.key, anchor.value))
  return pageWith(anchors, paging, ({ anchor, isStale, reason }) => ({
    ...anchor,
    short: uniqueId(state, anchor.id),
    isStale,
    why: reason,
  }))
}

/** An anchor by its key, its id or the start of its id. */
export function anchorDetail(hive: Hive, given: string): AnchorRow {
  const { items: rows } = listAnchorRows(hive)
  const { state } = hive.store.read()
  const byKey = rows.find(({ key }) => key.toLowerCase() === given.trim().toLowerCase())
  if (byKey !== undefined) return byKey
  const id = idOf()
  return rows.find((row) => row.id === id) ?? { ...unlisted(), short: given, isStale: false, why: "" }

  function idOf(): string | undefined {
    try {
      return resolveId(state, "anchor", given)
    } catch {
      return undefined // An unknown key: the error of requireAnchor lists the known ones.
    }
  }
  function unlisted(): Anchor {
    return requireAnchor((index, key) => state.anchor.by(index, key), given)
  }
}
