import { textKey } from "../../graph/indexes.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { findSameText } from "../../graph/mem-status.ts"
import { sessionOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { stampOf } from "../../shared/stamp.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { writeGraph } from "../../work/write.ts"

/** True if HiveMind extracted the mem itself: neither an agent saved it nor a user said it. */
export const isByRule = ({ origin }: Pick<Mem, "origin">): boolean => origin !== "saved" && origin !== "said"

/** True for mems that HiveMind inferred from actions, which rank lower. Facts that a scan read in files are not inferred. */
export function isUnconfirmed({ origin }: Pick<Mem, "origin">): boolean {
  return origin !== "saved" && origin !== "said" && origin !== "scan"
}

export function contentForModel({ origin, content, created_at }: Mem): string {
  const day = created_at.slice(0, 10)
  if (origin === "history") return `${content} (unconfirmed, from a session of ${day})`
  return origin === "correction" ? `corrected before, ${day}: ${content}` : content
}

type RuleMem = Pick<Mem, "id" | "shelf" | "kind" | "origin" | "content" | "session_id"> & Partial<Mem>

/** Builds an extracted mem. `at` is the time of the event, not of the call, so that every process makes the same record. */
export function memByRule({ store, config }: Hive, at: string, fields: RuleMem): Mem {
  const time = Date.parse(at)
  const session = sessionOf(store.read().state, fields.session_id)
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
    stamp: session?.stamp ?? fields.stamp ?? stampOf(time),
    evidence: evidence.slice(0, MAX_EVIDENCE),
    stale_at:
      fields.kind === "decision" || fields.kind === "rule"
        ? null
        : new Date(time + config.stale_after_hours * HOUR_MS).toISOString(),
    created_at: at,
    updated_at: at,
  }
}

/** Adds mems whose id and text are new. Ids derive from the content, so two processes that see one commit add one mem. */
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

export function knownMems({ store }: Hive): (id: string) => boolean {
  const { state } = store.read()
  return (id) => state.mem.has(id) || store.archive.has(id)
}

/** Makes `mem` replace the `outdated` ones. If `mem` existed before, it is active again, unless a person rejected it. */
export function replaceMems(
  hive: Hive,
  caller: Caller,
  outdated: readonly Mem[],
  mem: Mem | null,
): Promise<Mem[]> {
  return writeGraph(hive, caller, (tx) => {
    const old = outdated.filter(({ id }) => isMemInForce(tx.get("mem", id)))
    const [first] = old
    if (first === undefined) return []
    const updated_at = mem?.updated_at ?? first.updated_at
    for (const { id } of old) tx.set("mem", id, { status: "superseded", updated_at })
    if (mem === null) return []
    const present = tx.get("mem", mem.id)
    const before = present ?? hive.store.archive.get(mem.id)
    if (before?.status === "purged" || before?.status === "invalidated") return []
    if (present !== undefined) tx.set("mem", mem.id, { status: "active", updated_at, stale_at: mem.stale_at })
    // `first` may itself have replaced a mem that returns from the archive: linking that mem to `first` would make a cycle.
    else tx.add("mem", { ...mem, supersedes: before === undefined ? first.id : null })
    return [tx.need("mem", mem.id)]
  })
}

const CONFIDENCE = 0.6
export const MAX_EVIDENCE = 20
const MAX_PATH_CHARS = 500
