import type * as z from "zod"
import { ALL } from "../../graph/indexes.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { type FileState, fileLook } from "../../project/document/file-look.ts"
import { recordFileState } from "../../project/document/record-file.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import { getAnchor, requireAnchor } from "./find.ts"
import { newAnchor } from "./save.ts"
import { isOld } from "./staleness.ts"

export const anchorUpdate = newAnchor.pick({ key: true, value: true, priority: true })
export type AnchorUpdate = z.infer<typeof anchorUpdate>

/** Changes an anchor. It is fresh again: its files and tasks count as they are now. */
export async function updateAnchor(hive: Hive, caller: Caller, input: AnchorUpdate): Promise<Anchor> {
  const at = new Date(hive.source.now()).toISOString()
  const files = filesOf(hive, getAnchor(hive, input.key).anchor)
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const { id, priority } = requireAnchor((index, each) => tx.by("anchor", index, each), input.key)
    for (const [artifact, now] of files) recordFileState(tx, artifact, now, at)
    tx.set("anchor", id, {
      value: input.value,
      priority: input.priority ?? priority,
      status: "active",
      // Who says it now: others have to be told, this one has not.
      session_id: caller.session,
      updated_at: at,
    })
    return tx.need("anchor", id)
  })
  return result
}

/** The files that an anchor is related to, as they are now, by their records' ids. */
function filesOf(hive: Hive, { related_to }: Anchor): Map<string, FileState | null> {
  const look = fileLook(hive.dir)
  const { state } = hive.store.read()
  const files = new Map<string, FileState | null>()
  for (const id of related_to) {
    const artifact = state.artifact.get(id)
    const now = artifact === undefined || artifact.hash === null ? undefined : look(artifact.path)
    if (now !== undefined) files.set(id, now)
  }
  return files
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
 * Removes anchors that are marked stale and were not updated for two days. Age alone removes none: nothing has happened
 * that makes it less true. Critical ones stay in any case, and so do decisions, because their mems would go with them.
 * Returns how many were removed.
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
