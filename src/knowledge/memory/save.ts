import * as z from "zod"
import { isOpenDecision } from "../../graph/lifecycle.ts"
import { findSameText } from "../../graph/mem-status.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { line, ref } from "../../schemas/fields.ts"
import { type Mem, mem as record } from "../../schemas/knowledge.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"
import { stampOf } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import type { Store } from "../../store/store.ts"
import { unblockTasks, waitingForDecision } from "../../work/task/start.ts"
import { findRelated, type RelatedMems } from "../rules/find-related.ts"
import { withHashes } from "./evidence.ts"
import { findMem } from "./find.ts"

const { content, shelf, kind, tags, evidence } = record.shape
const MAX_HOURS = 1_000_000
const ttlHours = z.number().positive().max(MAX_HOURS)

export const newMem = z.strictObject({
  content,
  origin_task_id: ref.optional(),
  shelf: shelf.optional(),
  kind: kind.optional(),
  /** Of a rule: where it holds. */
  scope: line.optional(),
  tags: tags.optional(),
  evidence: evidence.optional(),
  supersedes: ref.optional(),
  parent_mem_id: ref.optional(),
  related_to: z.array(ref).optional(),
  ttl_hours: ttlHours.optional(),
})
export type NewMem = z.infer<typeof newMem>

/**
 * Saves a mem, tied to the session's active task unless another is named. If a mem with the same text exists, that one
 * gets the given lifetime and evidence instead.
 */
export async function saveMem(hive: Hive, caller: Caller, input: NewMem): Promise<Mem> {
  return (await saveAndCompare(hive, caller, input)).mem
}

export interface SavedMem {
  mem: Mem
  /** Mems that the new one takes the place of. */
  replaced: Mem[]
  /** Mems that it may take the place of: whoever saves decides. */
  conflicts: Mem[]
}

/** The same, and tells what the mem replaces: a mem about the same subject with another value. */
export async function saveAndCompare(hive: Hive, caller: Caller, input: NewMem): Promise<SavedMem> {
  const mem = recordOf(hive, caller, input)
  if (mem.supersedes !== null) return addReplacing(hive, caller, mem, [mem.supersedes])
  const { state } = hive.store.read()
  const same = findSameText(state, mem)
  if (same !== undefined) return { mem: await renew(hive, caller, same, mem), replaced: [], conflicts: [] }
  return addCompared(hive, caller, mem, findRelated(state, mem.content, mem.kind))
}

/** Adds a mem and supersedes those that it replaces. A rule that says the same as another is not added. */
export async function addCompared(
  hive: Hive,
  caller: Caller,
  mem: NewRecordOf<"mem">,
  { same, replaced, conflicts }: RelatedMems,
): Promise<SavedMem> {
  const [known] = same
  if (known !== undefined && mem.kind === "rule") return { mem: known, replaced: [], conflicts: [] }
  if (replaced.length > 0)
    return addReplacing(
      hive,
      caller,
      mem,
      replaced.map(({ id }) => id),
    )
  const related_to = [...new Set([...mem.related_to, ...conflicts.map(({ id }) => id)])]
  const { result } = await hive.store.append(
    authorOf(caller),
    (tx) => tx.get("mem", mem.id) ?? tx.add("mem", { ...mem, related_to }),
  )
  return { mem: result, replaced: [], conflicts }
}

async function addReplacing(
  hive: Hive,
  caller: Caller,
  mem: NewRecordOf<"mem">,
  ids: readonly string[],
): Promise<SavedMem> {
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const saved = tx.add("mem", { ...mem, supersedes: ids[0] ?? null })
    const replaced: Mem[] = []
    for (const id of ids) {
      const before = tx.get("mem", id)
      // An archived mem needs no change, a false path stays a warning. A superseded mem is touched too, because another clone
      // may be undoing its replacement.
      if (before?.status === "active" || before?.status === "superseded")
        tx.set("mem", id, { status: "superseded", updated_at: mem.updated_at })
      if (before !== undefined) replaced.push(before)
      unblockTasks(tx, waitingForDecision(tx, id), mem.updated_at)
    }
    return { mem: saved, replaced }
  })
  return { ...result, conflicts: [] }
}

/** A rule that the model was asked about names the user's words. */
function evidenceOf({ store }: Hive, caller: Caller, { kind, evidence = [] }: NewMem): string[] {
  const asked = kind === "rule" ? askedIn(store, caller.session) : undefined
  if (asked === undefined) return evidence
  const where = asked.message === null ? "" : ` in message ${asked.message}`
  return [...evidence, `user${where}: ${shorten(asked.sentence, 200)}`]
}

/** Replaces an open decision by its outcome, which unblocks the tasks that waited for it. */
export async function resolveDecision(
  hive: Hive,
  caller: Caller,
  { decision, content }: { decision: string; content: string },
): Promise<Mem> {
  const { mem } = findMem(hive, decision)
  if (!isOpenDecision(mem)) throw notOpen(mem)
  return saveMem(hive, caller, {
    content,
    kind: "decision",
    shelf: mem.shelf,
    tags: mem.tags,
    supersedes: mem.id,
    ...(mem.origin_task_id !== null && { origin_task_id: mem.origin_task_id }),
  })
}

function recordOf(hive: Hive, caller: Caller, input: NewMem): NewRecordOf<"mem"> {
  const { store, source, config } = hive
  const { state } = store.read()
  const now = source.now()
  const at = new Date(now).toISOString()
  const origin =
    input.origin_task_id === undefined
      ? (headOf(state, caller.session)?.active_task_ids[0] ?? null)
      : resolveId(state, "task", input.origin_task_id)
  // A person has no session, and may save mems without a task.
  if (origin === null && caller.session !== null && config.governance === "strict") throw needsTask()
  const hours = input.ttl_hours
  if (hours !== undefined && !ttlHours.safeParse(hours).success) throw wrongTime(hours)
  const memId = (given: string | undefined) => (given === undefined ? null : resolveId(state, "mem", given))
  return {
    id: source.newId(),
    origin_task_id: origin,
    session_id: caller.session,
    shelf: input.shelf ?? "context",
    origin: "saved",
    kind: input.kind ?? "insight",
    status: "active",
    content: input.content,
    tags: input.tags ?? [],
    evidence: withHashes(hive.dir, evidenceOf(hive, caller, input)),
    confidence: 1,
    resolved: input.kind === "decision" ? true : null,
    scope: input.scope ?? null,
    supersedes: memId(input.supersedes),
    parent_mem_id: memId(input.parent_mem_id),
    related_to: (input.related_to ?? []).map((given) => resolveId(state, "any", given)),
    reason: null,
    stale_at: hours === undefined ? null : new Date(now + hours * HOUR_MS).toISOString(),
    created_at: at,
    updated_at: at,
    stamp: sessionOf(state, caller.session)?.stamp ?? stampOf(now),
  }
}

async function renew(hive: Hive, caller: Caller, same: Mem, given: NewRecordOf<"mem">): Promise<Mem> {
  const { stale_at, evidence, updated_at } = given
  const to = { ...(same.stale_at !== null && { stale_at }), ...(evidence.length > 0 && { evidence }) }
  if (Object.keys(to).length === 0) return same
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    tx.set("mem", same.id, { ...to, updated_at })
    return tx.need("mem", same.id)
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

function notOpen({ id, status, resolved }: Mem): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: "No decision was taken.",
    why: resolved === null ? "This mem is no decision." : "This decision is not open any more.",
    use_instead: "Save a decision that supersedes it, if another one holds now.",
    evidence: `mem ${id}: status = ${status}, resolved = ${resolved}`,
  })
}

/** What the user said that may be a rule, and the message it is in. */
export interface AskedSentence {
  sentence: string
  message: string | null
}

/** A rule that the model saves because it was asked to is linked to these words. Only of the session's last message. */
const asked = new WeakMap<Store, Map<string, AskedSentence>>()

export function noteAsked(store: Store, session: string, about: AskedSentence | undefined): void {
  const bySession = asked.get(store) ?? new Map<string, AskedSentence>()
  if (about === undefined) bySession.delete(session)
  else bySession.set(session, about)
  asked.set(store, bySession)
}

function askedIn(store: Store, session: string | null): AskedSentence | undefined {
  return session === null ? undefined : asked.get(store)?.get(session)
}
