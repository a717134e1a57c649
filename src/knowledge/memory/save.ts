import * as z from "zod"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { ref } from "../../schemas/fields.ts"
import { type Mem, mem as record } from "../../schemas/knowledge.ts"
import type { Kind, NewRecordOf } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"
import { stampOf } from "../../shared/stamp.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { unblockTasks, waitingForDecision } from "../../work/task/unblock.ts"
import { withHashes } from "./evidence.ts"

const { content, shelf, kind, tags, evidence } = record.shape
const MAX_HOURS = 1_000_000
const ttlHours = z.number().positive().max(MAX_HOURS)

/** What a mem is saved with: the arguments of a call. */
export const newMem = z.strictObject({
  content,
  origin_task_id: ref.optional(),
  shelf: shelf.optional(),
  kind: kind.optional(),
  tags: tags.optional(),
  evidence: evidence.optional(),
  supersedes: ref.optional(),
  parent_mem_id: ref.optional(),
  related_to: z.array(ref).optional(),
  ttl_hours: ttlHours.optional(),
})
export type NewMem = z.infer<typeof newMem>

/** Saves a mem, tied to the session's active task unless another is named. */
export async function saveMem(hive: Hive, caller: Caller, input: NewMem): Promise<Mem> {
  const { store, source, config } = hive
  const { state } = store.read()
  const now = source.now()
  const at = new Date(now).toISOString()
  const resolve = (kind: Kind | "any", given: string) => resolveId(state, kind, given)
  const origin =
    input.origin_task_id === undefined
      ? (headOf(state, caller.session)?.active_task_ids[0] ?? null)
      : resolve("task", input.origin_task_id)
  if (origin === null && config.governance === "strict") throw needsTask()

  const hours = input.ttl_hours
  if (hours !== undefined && !ttlHours.safeParse(hours).success) throw wrongTime(hours)
  const kind = input.kind ?? "insight"
  const mem: NewRecordOf<"mem"> = {
    id: source.newId(),
    origin_task_id: origin,
    session_id: caller.session,
    shelf: input.shelf ?? "context",
    origin: "saved",
    kind,
    status: "active",
    content: input.content,
    tags: input.tags ?? [],
    evidence: withHashes(hive.dir, input.evidence ?? []),
    confidence: 1,
    resolved: kind === "decision" ? true : null,
    supersedes: input.supersedes === undefined ? null : resolve("mem", input.supersedes),
    parent_mem_id: input.parent_mem_id === undefined ? null : resolve("mem", input.parent_mem_id),
    related_to: (input.related_to ?? []).map((given) => resolve("any", given)),
    reason: null,
    // What somebody saved lasts, unless they say for how long.
    stale_at: hours === undefined ? null : new Date(now + hours * HOUR_MS).toISOString(),
    created_at: at,
    updated_at: at,
    stamp: sessionOf(state, caller.session)?.stamp ?? stampOf(now),
  }
  const superseded = mem.supersedes
  if (superseded === null) return (await store.append(authorOf(caller), (tx) => tx.add("mem", mem))).result
  const { result } = await store.write(authorOf(caller), (tx) => {
    const saved = tx.add("mem", mem)
    // A mem in the archive needs no change; one that was taken back stays a warning. One that is replaced already is
    // touched all the same: another clone may be taking its replacement back.
    const { status } = tx.get("mem", superseded) ?? {}
    if (status === "active" || status === "superseded")
      tx.set("mem", superseded, { status: "superseded", updated_at: at })
    // An open decision may be taken now: unblock the tasks that waited for it.
    unblockTasks(tx, waitingForDecision(tx, superseded), at)
    return saved
  })
  return result
}

function needsTask(): HiveError {
  return new HiveError({
    code: "orphan",
    what: "The mem was not saved.",
    why: "Governance is strict: a mem belongs to a task, and this session has no active one.",
    use_instead: "Give origin_task_id, or start a task first.",
    evidence: "read-head: no active task",
  })
}

function wrongTime(hours: number): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "The mem was not saved: ttl_hours is not valid.",
    why: `It has to be more than 0 and at most ${MAX_HOURS}.`,
    use_instead: "Leave it out for the usual time.",
    evidence: `ttl_hours = ${hours}`,
  })
}
