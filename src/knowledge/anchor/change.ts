import type * as z from "zod"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { type FileState, fileLook } from "../../project/document/file-look.ts"
import { takeState } from "../../project/document/note-file.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import { getAnchor, requireAnchor } from "./find.ts"
import { newAnchor } from "./save.ts"

export const anchorUpdate = newAnchor.pick({ key: true, value: true, priority: true })
export type AnchorUpdate = z.infer<typeof anchorUpdate>

/** Says an anchor anew. It is fresh again: from here on it rests on its files and tasks as they are now. */
export async function updateAnchor(hive: Hive, caller: Caller, input: AnchorUpdate): Promise<Anchor> {
  const at = new Date(hive.source.now()).toISOString()
  const files = filesOf(hive, getAnchor(hive, input.key).anchor)
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const { id, priority } = requireAnchor([...tx.all("anchor")], input.key)
    for (const [artifact, now] of files) takeState(tx, artifact, now, at)
    tx.set("anchor", id, {
      value: input.value,
      priority: input.priority ?? priority,
      status: "active",
      updated_at: at,
    })
    return tx.need("anchor", id)
  })
  return result
}

/** The files an anchor rests on, by their records, as they are now. */
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

/** Takes an anchor out of sight; the log keeps what it said, and saving the key again brings it back. */
export async function removeAnchor(hive: Hive, caller: Caller, key: string): Promise<Anchor> {
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const { id } = requireAnchor([...tx.all("anchor")], key)
    tx.set("anchor", id, { status: "removed", updated_at: at })
    return tx.need("anchor", id)
  })
  return result
}
