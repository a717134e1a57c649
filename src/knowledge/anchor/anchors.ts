import * as z from "zod"
import { ALL } from "../../graph/indexes.ts"
import { isAnchorKept } from "../../graph/lifecycle.ts"
import { placeOf } from "../../graph/place.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { type FileState, fileStatusLookup, requireFile } from "../../project/document/file-status.ts"
import { fileId, recordFile, recordFileState } from "../../project/document/record-file.ts"
import { path, ref } from "../../schemas/fields.ts"
import { type Anchor, anchorKey, anchor as record } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"
import { stampOf } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import { callText } from "../../shared/tool-names.ts"
import { isOld, type ScoredAnchor, scoreAnchors, staleAnchors } from "./staleness.ts"

const MAX_RELATED = 50
const { key, value, priority, type } = record.shape

export const newAnchor = z.strictObject({
  key,
  value,
  priority: priority.optional(),
  type: type.optional(),
  /** Ids of records, or paths of files in the project. */
  related_to: z.array(path).max(MAX_RELATED).optional(),
})
export type NewAnchor = z.infer<typeof newAnchor>
export const anchorUpdate = newAnchor.pick({ key: true, value: true, priority: true })
export type AnchorUpdate = z.infer<typeof anchorUpdate>

/** Saves an anchor. A removed one is restored; an existing one is not overwritten. */
export async function saveAnchor(hive: Hive, caller: Caller, input: NewAnchor): Promise<Anchor> {
  const { store, source } = hive
  const { ids: related_to, files } = resolveRelations(hive, input.related_to ?? [])
  const now = source.now()
  const at = new Date(now).toISOString()
  const stamp = sessionOf(store.read().state, caller.session)?.stamp ?? stampOf(now)
  const freshId = source.newId()
  const { result } = await store.write(authorOf(caller), (tx) => {
    const existing = findAnchor((index, each) => tx.by("anchor", index, each), input.key)
    if (existing !== undefined && isAnchorKept(existing)) throw duplicate(existing)
    for (const [path, file] of files) recordFile(tx, path, file, { at, stamp })
    const id = existing?.id ?? freshId
    const fields = {
      key: input.key,
      value: input.value,
      priority: input.priority ?? "medium",
      type: input.type ?? "context",
      status: "active" as const,
      session_id: caller.session,
      related_to,
      updated_at: at,
    }
    if (existing === undefined) tx.add("anchor", { id, ...fields, created_at: at, stamp })
    else tx.set("anchor", id, fields)
    return tx.need("anchor", id)
  })
  return result
}

/** Changes an anchor. It is fresh again, on its files and tasks as they are now. */
export async function updateAnchor(hive: Hive, caller: Caller, input: AnchorUpdate): Promise<Anchor> {
  const at = new Date(hive.source.now()).toISOString()
  const { state } = hive.store.read()
  const look = fileStatusLookup(hive.dir)
  const files = new Map<string, FileState | null>()
  for (const id of getAnchor(hive, input.key).anchor.related_to) {
    const artifact = state.artifact.get(id)
    const now = artifact === undefined || artifact.hash === null ? undefined : look(artifact.path)
    if (now !== undefined) files.set(id, now)
  }
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const { id, priority } = requireAnchor((index, each) => tx.by("anchor", index, each), input.key)
    for (const [artifact, now] of files) recordFileState(tx, artifact, now, at)
    tx.set("anchor", id, {
      value: input.value,
      priority: input.priority ?? priority,
      status: "active",
      // Other sessions are notified of the change, this one is not.
      session_id: caller.session,
      updated_at: at,
    })
    return tx.need("anchor", id)
  })
  return result
}

/** Removes an anchor. The log keeps it, and saving the key again restores it. */
export async function removeAnchor(hive: Hive, caller: Caller, key: string): Promise<Anchor> {
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const { id } = requireAnchor((index, each) => tx.by("anchor", index, each), key)
    tx.set("anchor", id, { status: "removed", updated_at: at })
    return tx.need("anchor", id)
  })
  return result
}

/**
 * Removes anchors that are marked stale and were not updated for two days. Age alone removes none. Critical anchors stay,
 * and so do decisions, because their mems would go with them. Returns how many were removed.
 */
export async function purgeAnchors(hive: Hive, caller: Caller): Promise<number> {
  const now = hive.source.now()
  const isDue = (anchor: Anchor) =>
    anchor.status === "stale" &&
    anchor.priority !== "critical" &&
    anchor.type !== "decision" &&
    isOld(anchor, now)
  if (![...hive.store.read().state.anchor.by("kept", ALL)].some(isDue)) return 0
  const at = new Date(now).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const due = [...tx.by("anchor", "kept", ALL)].filter(isDue)
    for (const { id } of due) tx.set("anchor", id, { status: "removed", updated_at: at })
    return due.length
  })
  return result
}

/** All anchors that were not removed, the most important at the session's read-head first. */
export function listAnchors(hive: Hive, session: string | null): ScoredAnchor[] {
  const { state } = hive.store.read()
  const now = hive.source.now()
  const unmarked = new Set(staleAnchors(state, fileStatusLookup(hive.dir), now).map(({ anchor }) => anchor))
  return scoreAnchors(state, placeOf(state, headOf(state, session)), now).map((scored) => ({
    ...scored,
    isStale: scored.isStale || unmarked.has(scored.anchor),
  }))
}

export function getAnchor(hive: Hive, key: string): { anchor: Anchor; isStale: boolean } {
  const { state } = hive.store.read()
  const anchor = requireAnchor((index, each) => state.anchor.by(index, each), key)
  const unmarked = staleAnchors(state, fileStatusLookup(hive.dir), hive.source.now(), [anchor])
  return { anchor, isStale: anchor.status === "stale" || unmarked.length > 0 }
}

/** Finds anchors in a state or in a transaction. */
type FindAnchors = (index: "key" | "kept", key: string) => Iterable<Anchor>

/** Throws if no anchor has that key, and names the keys there are. */
export function requireAnchor(find: FindAnchors, key: string): Anchor {
  const found = findAnchor(find, key)
  if (found !== undefined && isAnchorKept(found)) return found
  const keys = first(MAX_NAMED, find("kept", ALL)).map((anchor) => anchor.key)
  throw new HiveError({
    code: "not_found",
    what: `There is no anchor "${key}".`,
    why: found === undefined ? "No anchor has this key." : "It was removed.",
    use_instead: `Use a key that ${callText("anchor", "list")} shows, or save it.`,
    evidence: keys.join(", ") || "no anchors",
  })
}

/** The anchor with that key, else the last one removed. */
function findAnchor(find: FindAnchors, key: string): Anchor | undefined {
  const named = [...find("key", anchorKey(key))]
  return named.find(isAnchorKept) ?? named.sort((a, b) => b.updated_at.localeCompare(a.updated_at))[0]
}

function resolveRelations(
  hive: Hive,
  given: readonly string[],
): { ids: string[]; files: Map<string, FileState> } {
  const ids = new Set<string>()
  const files = new Map<string, FileState>()
  const { state } = hive.store.read()
  for (const each of given) {
    if (ref.safeParse(each).success) {
      ids.add(resolveId(state, "any", each))
      continue
    }
    const { path, now } = requireFile(hive.dir, each)
    if (now === null) throw missingFile(each)
    ids.add(fileId(path))
    files.set(path, now)
  }
  return { ids: [...ids], files }
}

function duplicate({ id, key, value }: Anchor): HiveError {
  return new HiveError({
    code: "duplicate",
    what: `There is an anchor "${key}" already.`,
    why: `It says: ${shorten(value, 120)}`,
    use_instead: `Change it with ${callText("anchor", "update")}, or use another key.`,
    evidence: `anchor ${id}`,
  })
}

function missingFile(given: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no file "${given}" to relate to.`,
    why: "related_to takes ids of records, or paths of existing files.",
    use_instead: "Correct the path, or leave it out.",
    evidence: `related_to = ${given}`,
  })
}

const MAX_NAMED = 10
