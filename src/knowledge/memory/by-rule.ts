import { textKey } from "../../graph/indexes.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { findSameText } from "../../graph/mem-status.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { HOUR_MS } from "../../shared/time.ts"

/** True for a mem that was extracted by rule, not saved. */
export function isByRule({ origin }: Pick<Mem, "origin">): boolean {
  return origin !== "saved" && origin !== "said"
}

/** Extracted from actions, so it counts less. Facts that a scan read in the project's files are no guesses. */
export function isUnconfirmed({ origin }: Pick<Mem, "origin">): boolean {
  return origin !== "saved" && origin !== "said" && origin !== "scan"
}

export function contentForModel({ origin, content, created_at }: Mem): string {
  const day = created_at.slice(0, 10)
  if (origin === "history") return `${content} (unconfirmed, from a session of ${day})`
  return origin === "correction" ? `corrected before, ${day}: ${content}` : content
}

type RuleMem = Pick<Mem, "id" | "shelf" | "kind" | "content" | "session_id" | "stamp"> & {
  origin: Exclude<Mem["origin"], "saved">
} & Partial<
    Pick<
      Mem,
      "origin_task_id" | "tags" | "evidence" | "resolved" | "scope" | "supersedes" | "related_to" | "branch"
    >
  >

/** `at` is the time of what the mem is about, so that every process makes the same record. */
export function memByRule(fields: RuleMem, at: string, staleAfterHours: number): Mem {
  const staleAt = new Date(Date.parse(at) + staleAfterHours * HOUR_MS).toISOString()
  const evidence = (fields.evidence ?? []).filter(
    (path) => path.trim() !== "" && path.length <= MAX_PATH_CHARS,
  )
  return {
    origin_task_id: null,
    tags: [],
    resolved: null,
    supersedes: null,
    scope: null,
    parent_mem_id: null,
    related_to: [],
    reason: null,
    branch: null,
    status: "active",
    confidence: CONFIDENCE,
    ...fields,
    evidence: evidence.slice(0, MAX_EVIDENCE),
    stale_at: fields.kind === "decision" || fields.kind === "rule" ? null : staleAt,
    created_at: at,
    updated_at: at,
  }
}

/**
 * Adds the mems that never existed and whose text no other mem has. Ids are derived from the source of a mem, so two
 * processes that see the same commit add one mem, without a lock.
 */
export async function addOnce(hive: Hive, caller: Caller, mems: readonly Mem[]): Promise<Mem[]> {
  const isKnown = knownMems(hive)
  const { state } = hive.store.read()
  const texts = new Set<string>()
  const fresh = mems.filter((mem) => {
    const text = `${mem.kind} ${textKey(mem.content)}`
    if (isKnown(mem.id) || texts.has(text) || findSameText(state, mem) !== undefined) return false
    texts.add(text)
    return true
  })
  if (fresh.length === 0) return []
  const { result } = await hive.store.append(authorOf(caller), (tx) => {
    const added = fresh.filter(({ id }) => tx.get("mem", id) === undefined)
    for (const mem of added) tx.add("mem", mem)
    return added
  })
  return result
}

/** Returns a check whether the graph or the archive has a mem with an id. */
export function knownMems({ store }: Hive): (id: string) => boolean {
  const { state } = store.read()
  return (id) => state.mem.has(id) || store.archive.has(id)
}

/**
 * Supersedes mems, by another one if given, under the lock. If that one existed before (a decision was changed back), it is
 * in force again, unless a person has rejected it.
 */
export async function replaceMems(
  { store }: Hive,
  caller: Caller,
  outdated: readonly Mem[],
  mem: Mem | null,
): Promise<Mem[]> {
  const { result } = await store.write(authorOf(caller), (tx) => {
    const old = outdated.filter(({ id }) => isMemInForce(tx.get("mem", id)))
    const [first] = old
    if (first === undefined) return []
    const updated_at = mem?.updated_at ?? first.updated_at
    for (const { id } of old) tx.set("mem", id, { status: "superseded", updated_at })
    if (mem === null) return []
    const present = tx.get("mem", mem.id)
    const before = present ?? store.archive.get(mem.id)
    if (before?.status === "purged" || before?.status === "invalidated") return []
    if (present !== undefined) tx.set("mem", mem.id, { status: "active", updated_at, stale_at: mem.stale_at })
    // A mem that comes back was itself superseded by `first`: the link would be a cycle.
    else tx.add("mem", { ...mem, supersedes: before === undefined ? first.id : null })
    return [tx.need("mem", mem.id)]
  })
  return result
}

const CONFIDENCE = 0.6
export const MAX_EVIDENCE = 20
const MAX_PATH_CHARS = 500
