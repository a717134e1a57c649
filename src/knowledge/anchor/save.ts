import * as z from "zod"
import { isAnchorKept } from "../../graph/lifecycle.ts"
import { sessionOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { recordFile } from "../../project/document/record-file.ts"
import { path } from "../../schemas/fields.ts"
import { type Anchor, anchor as record } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"
import { stampOf } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import { callText } from "../../shared/tool-names.ts"
import { findAnchor } from "./find.ts"
import { relationsOf } from "./relations.ts"

const MAX_RELATED = 50
const { key, value, priority, type } = record.shape

/** What an anchor is saved with: the arguments of a call. */
export const newAnchor = z.strictObject({
  key,
  value,
  priority: priority.optional(),
  type: type.optional(),
  /** Ids of records, or paths of files in the project. */
  related_to: z.array(path).max(MAX_RELATED).optional(),
})
export type NewAnchor = z.infer<typeof newAnchor>

/** Saves an anchor. A removed one is restored; an existing one is not overwritten. */
export async function saveAnchor(hive: Hive, caller: Caller, input: NewAnchor): Promise<Anchor> {
  const { store, source } = hive
  const { ids: related_to, files } = relationsOf(hive, input.related_to ?? [])
  const now = source.now()
  const at = new Date(now).toISOString()
  const stamp = sessionOf(store.read().state, caller.session)?.stamp ?? stampOf(now)
  const freshId = source.newId()
  const { result } = await store.write(authorOf(caller), (tx) => {
    const there = findAnchor((index, each) => tx.by("anchor", index, each), input.key)
    if (there !== undefined && isAnchorKept(there)) throw taken(there)
    for (const { path, now: file } of files) recordFile(tx, path, file, { at, stamp })
    const id = there?.id ?? freshId
    const said = {
      key: input.key,
      value: input.value,
      priority: input.priority ?? "medium",
      type: input.type ?? "context",
      status: "active" as const,
      session_id: caller.session,
      related_to,
      updated_at: at,
    }
    if (there === undefined) tx.add("anchor", { id, ...said, created_at: at, stamp })
    else tx.set("anchor", id, said)
    return tx.need("anchor", id)
  })
  return result
}

function taken({ id, key, value }: Anchor): HiveError {
  return new HiveError({
    code: "duplicate",
    what: `There is an anchor "${key}" already.`,
    why: `It says: ${shorten(value, 120)}`,
    use_instead: `Change it with ${callText("anchor", "update")}, or use another key.`,
    evidence: `anchor ${id}`,
  })
}
