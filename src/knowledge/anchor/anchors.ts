import * as z from "zod"
import { ALL } from "../../graph/indexes.ts"
import { isAnchorKept } from "../../graph/lifecycle.ts"
import { placeOf } from "../../graph/place.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { type FileState, fileStatusLookup, requireFile } from "../../project/document/file-status.ts"
import { fileId, recordFile, recordFileState } from "../../project/document/record-file.ts"
import { path, ref } from "../../schemas/fields.ts"
import { type Anchor, anchorKey, anchor as record } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"
import { stampOf } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import { callText } from "../../shared/tool-names.ts"
import { writeGraph } from "../../work/write.ts"
import { isAnchorStale, isOld, type ScoredAnchor, scoreAnchors } from "./staleness.ts"

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

/** Saves an anchor. If its key was removed, the anchor is restored; if its key is in use, this throws. */
export async function saveAnchor(hive: Hive, caller: Caller, input: NewAnchor): Promise<Anchor> {
  const { store, source } = hive
  const { ids: related_to, files } = resolveRelations(hive, input.related_to ?? [])
  const now = source.now()
  const at = new Date(now).toISOString()
  const stamp = sessionOf(store.read().state, caller.session)?.stamp ?? stampOf(now)
  const freshId = source.newId()
  const { result } = await store.write(authorOf(caller), (tx) => {
    const existing = findAnchor((index, each) => tx.by("anchor", index, each), input.key)
    if (existing !== undefined && isAnchorKept(existing))
      throw new HiveError({
        code: "duplicate",
        what: `There is an anchor "${existing.key}" already.`,
        why: `Its value is: ${shorten(existing.value, 120)}`,
        use_instead: `Change it with ${callText("anchor", "update")}, or use another key.`,
        evidence: `anchor ${existing.id}`,
      })
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

/** Changes an anchor. It is fresh again: staleness now counts from the present state of its files and tasks. */
export async function updateAnchor(hive: Hive, caller: Caller, input: AnchorUpdate): Promise<Anchor> {
  const { state } = hive.store.read()
  const look = fileStatusLookup(hive.dir)
  const files = new Map<string, FileState | null>()
  for (const id of getAnchor(hive, input.key).anchor.related_to) {
    const artifact = state.artifact.get(id)
    const now = artifact === undefined || artifact.hash === null ? undefined : look(artifact.path)
    if (now !== undefined) files.set(id, now)
  }
  return changeAnchor(hive, caller, input.key, (tx, { id, priority }, at) => {
    for (const [artifact, now] of files) recordFileState(tx, artifact, now, at)
    tx.set("anchor", id, {
      value: input.value,
      priority: input.priority ?? priority,
      status: "active",
      // Other sessions are told of the change, and its author is not: this session becomes the author.
      session_id: caller.session,
      updated_at: at,
    })
  })
}

/** Removes an anchor. The log keeps it, and saving the key again restores it. */
export function removeAnchor(hive: Hive, caller: Caller, key: string): Promise<Anchor> {
  return changeAnchor(hive, caller, key, (tx, { id }, at) =>
    tx.set("anchor", id, { status: "removed", updated_at: at }),
  )
}

function changeAnchor(
  hive: Hive,
  caller: Caller,
  key: string,
  apply: (tx: Transaction, anchor: Anchor, at: string) => void,
): Promise<Anchor> {
  return writeGraph(hive, caller, (tx, at) => {
    const anchor = requireAnchor((index, each) => tx.by("anchor", index, each), key)
    apply(tx, anchor, at)
    return tx.need("anchor", anchor.id)
  })
}

/** Removes anchors that have been stale for two days, except critical ones. Decisions stay: removing one ends its mem too. */
export async function purgeAnchors(hive: Hive, caller: Caller): Promise<number> {
  const now = hive.source.now()
  const isDue = (anchor: Anchor) =>
    anchor.status === "stale" &&
    anchor.priority !== "critical" &&
    anchor.type !== "decision" &&
    isOld(anchor, now)
  if (![...hive.store.read().state.anchor.by("kept", ALL)].some(isDue)) return 0
  return writeGraph(hive, caller, (tx, at) => {
    const due = [...tx.by("anchor", "kept", ALL)].filter(isDue)
    for (const { id } of due) tx.set("anchor", id, { status: "removed", updated_at: at })
    return due.length
  })
}

export function listAnchors(hive: Hive, session: string | null): ScoredAnchor[] {
  const { state } = hive.store.read()
  const now = hive.source.now()
  const files = fileStatusLookup(hive.dir)
  return scoreAnchors(state, placeOf(state, headOf(state, session)), now).map((scored) => ({
    ...scored,
    isStale: isAnchorStale(state, scored.anchor, files, now),
  }))
}

export function getAnchor(hive: Hive, key: string): { anchor: Anchor; isStale: boolean } {
  const { state } = hive.store.read()
  const anchor = requireAnchor((index, each) => state.anchor.by(index, each), key)
  return { anchor, isStale: isAnchorStale(state, anchor, fileStatusLookup(hive.dir), hive.source.now()) }
}

type FindAnchors = (index: "key" | "kept", key: string) => Iterable<Anchor>

export function requireAnchor(find: FindAnchors, key: string): Anchor {
  const found = findAnchor(find, key)
  if (found !== undefined && isAnchorKept(found)) return found
  const keys = first(MAX_NAMED, find("kept", ALL)).map((anchor) => anchor.key)
  throw new HiveError({
    code: "not_found",
    what: `There is no anchor "${key}".`,
    why: found === undefined ? "No anchor has this key." : "The anchor was removed.",
    use_instead: `Use a key that ${callText("anchor", "list")} shows, or save an anchor with this key.`,
    evidence: keys.join(", ") || "no anchors",
  })
}

/** Finds the anchor with that key; if there is none, the most recently removed one. */
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
    if (now === null)
      throw new HiveError({
        code: "not_found",
        what: `There is no file "${each}" to relate the anchor to.`,
        why: "related_to takes ids of records, or paths of existing files.",
        use_instead: "Correct the path, or leave it out of related_to.",
        evidence: `related_to = ${each}`,
      })
    ids.add(fileId(path))
    files.set(path, now)
  }
  return { ids: [...ids], files }
}

const MAX_NAMED = 10
