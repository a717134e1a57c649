import { compare } from "../../graph/by-age.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { resolveId, uniqueId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { listAnchors, requireAnchor } from "../../knowledge/anchor/anchors.ts"
import { confidenceAt, evidenceCheck } from "../../knowledge/memory/evidence.ts"
import { accessOf, findMem } from "../../knowledge/memory/find.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import { EVERYTHING, hasWords, pageWith } from "./page.ts"

export interface MemFilter {
  shelf?: string
  kind?: Mem["kind"]
  /** The id of a task, or the start of its id. */
  task?: string
  /** True also lists invalidated and superseded mems that are not archived. */
  all?: boolean
  words?: string
}

export type MemDetail = ReturnType<typeof memDetail>

/** Mems in force, newest first. */
export function listMemRows(
  hive: Hive,
  { shelf, kind, task, all, words }: MemFilter = {},
  paging = EVERYTHING,
) {
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

export function memDetail(hive: Hive, given: string) {
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

/** Null if the evidence names no file or has no hash. */
function stateOf(isSame: boolean | undefined): "verified" | "changed" | null {
  return isSame === undefined ? null : isSame ? "verified" : "changed"
}

export type AnchorRow = ReturnType<typeof listAnchorRows>["items"][number]

export interface AnchorFilter {
  priority?: Anchor["priority"]
  type?: Anchor["type"]
  stale?: boolean
  words?: string
}

/** Anchors that were not removed, highest score first. */
export function listAnchorRows(
  hive: Hive,
  { priority, type, stale, words }: AnchorFilter = {},
  paging = EVERYTHING,
) {
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
    // The reason for the anchor's place in the list.
    why: reason,
  }))
}

/** An anchor by its key, its id or the start of its id. */
export function anchorDetail(hive: Hive, given: string): AnchorRow {
  const { items: rows } = listAnchorRows(hive)
  const { state } = hive.store.read()
  const byKey = rows.find(({ key }) => key.toLowerCase() === given.trim().toLowerCase())
  if (byKey !== undefined) return byKey
  const id = tryResolve(state, "anchor", given)
  const listed = rows.find((row) => row.id === id)
  if (listed !== undefined) return listed
  // Throws an error that lists the known keys.
  const anchor = requireAnchor((index, key) => state.anchor.by(index, key), given)
  return { ...anchor, short: given, isStale: false, why: "" }
}

/** True if the text is an anchor's id, or its start, and not that of a mem. */
export function isAnchorId({ store }: Hive, given: string): boolean {
  const { state } = store.read()
  const ids = (["anchor", "mem"] as const).map((kind) => tryResolve(state, kind, given))
  return state.anchor.has(ids[0] ?? "") && !state.mem.has(ids[1] ?? "")
}

function tryResolve(state: GraphState, kind: "anchor" | "mem", given: string): string | undefined {
  try {
    return resolveId(state, kind, given)
  } catch {
    return undefined // The text is a key, or unknown.
  }
}
