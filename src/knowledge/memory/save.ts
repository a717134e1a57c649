import * as z from "zod"
import { isOpenDecision } from "../../graph/lifecycle.ts"
import { findSameText } from "../../graph/mem-status.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
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
import { writeGraph } from "../../work/write.ts"
import { findRelated, type RelatedMems } from "../rules/find-related.ts"
import { withHashes } from "./evidence.ts"
import { findMem } from "./find.ts"

const { content, shelf, kind, tags, evidence } = record.shape
const MAX_HOURS = 1_000_000

export const newMem = z.strictObject({
  content,
  origin_task_id: ref.optional(),
  shelf: shelf.optional(),
  kind: kind.optional(),
  scope: line.optional(),
  tags: tags.optional(),
  evidence: evidence.optional(),
  supersedes: ref.optional(),
  parent_mem_id: ref.optional(),
  related_to: z.array(ref).optional(),
  ttl_hours: z.number().positive().max(MAX_HOURS).optional(),
})
export type NewMem = z.infer<typeof newMem>

/** Saves a mem. If one with the same text exists, that mem gets the given lifetime and evidence instead. */
export async function saveMem(hive: Hive, caller: Caller, input: NewMem): Promise<Mem> {
  return (await saveAndCompare(hive, caller, input)).mem
}

export interface SavedMem {
  mem: Mem
  replaced: Mem[]
  /** Mems that the new mem may replace: the agent that saves it decides. */
  conflicts: Mem[]
}

/** Saves a mem and returns the older mems that contradict it: the same subject with another value. */
export async function saveAndCompare(hive: Hive, caller: Caller, input: NewMem): Promise<SavedMem> {
  const { state } = hive.store.read()
  const mem = recordOf(hive, state, caller, input)
  if (mem.supersedes !== null) return addReplacing(hive, caller, mem, [mem.supersedes])
  const same = findSameText(state, mem)
  if (same !== undefined) return { mem: await renew(hive, caller, same, mem), replaced: [], conflicts: [] }
  return addCompared(hive, caller, mem, findRelated(state, mem.content, mem.kind))
}

/** Adds a mem and supersedes the mems that it replaces. A rule that repeats an existing rule is not added. */
export async function addCompared(
  hive: Hive,
  caller: Caller,
  mem: NewRecordOf<"mem">,
  { same, replaced, conflicts }: RelatedMems,
): Promise<SavedMem> {
  const [known] = same
  if (known !== undefined && mem.kind === "rule") return { mem: known, replaced: [], conflicts: [] }
  const ids = replaced.map(({ id }) => id)
  if (ids.length > 0) return addReplacing(hive, caller, mem, ids)
  const related_to = [...new Set([...mem.related_to, ...conflicts.map(({ id }) => id)])]
  const { result } = await hive.store.append(
    authorOf(caller),
    (tx) => tx.get("mem", mem.id) ?? tx.add("mem", { ...mem, related_to }),
  )
  return { mem: result, replaced: [], conflicts }
}

function addReplacing(
  hive: Hive,
  caller: Caller,
  mem: NewRecordOf<"mem">,
  ids: readonly string[],
): Promise<SavedMem> {
  return writeGraph(hive, caller, (tx) => {
    const saved = tx.add("mem", { ...mem, supersedes: ids[0] ?? null })
    const replaced: Mem[] = []
    for (const id of ids) {
      const before = tx.get("mem", id)
      // Archived mems and false paths stay as they are. A superseded mem is written again: another clone may be restoring it.
      if (before?.status === "active" || before?.status === "superseded")
        tx.set("mem", id, { status: "superseded", updated_at: mem.updated_at })
      if (before !== undefined) replaced.push(before)
      unblockTasks(tx, waitingForDecision(tx, id), mem.updated_at)
    }
    return { mem: saved, replaced, conflicts: [] }
  })
}

/** If the model was asked whether a sentence is a rule, the saved rule cites that sentence as evidence. */
function evidenceOf({ store }: Hive, caller: Caller, { kind, evidence = [] }: NewMem): string[] {
  const about = kind === "rule" ? asked.get(store)?.get(caller.session ?? "") : undefined
  if (about === undefined) return evidence
  const where = about.message === null ? "" : ` in message ${about.message}`
  return [...evidence, `user${where}: ${shorten(about.sentence, 200)}`]
}

export async function resolveDecision(
  hive: Hive,
  caller: Caller,
  { decision, content }: { decision: string; content: string },
): Promise<Mem> {
  const { mem } = findMem(hive, decision)
  if (!isOpenDecision(mem))
    throw new HiveError({
      code: "lifecycle",
      what: "The decision was not recorded.",
      why: mem.resolved === null ? "This mem is not a decision." : "This decision is not open any more.",
      use_instead: "If the decision has changed, save a new one that supersedes it.",
      evidence: `mem ${mem.id}: status = ${mem.status}, resolved = ${mem.resolved}`,
    })
  return saveMem(hive, caller, {
    content,
    kind: "decision",
    shelf: mem.shelf,
    tags: mem.tags,
    supersedes: mem.id,
    ...(mem.origin_task_id !== null && { origin_task_id: mem.origin_task_id }),
  })
}

function recordOf(hive: Hive, state: GraphState, caller: Caller, input: NewMem): NewRecordOf<"mem"> {
  const { source, config } = hive
  const now = source.now()
  const at = new Date(now).toISOString()
  const origin =
    input.origin_task_id === undefined
      ? (headOf(state, caller.session)?.active_task_ids[0] ?? null)
      : resolveId(state, "task", input.origin_task_id)
  // A person has no session, and may save mems without a task.
  if (origin === null && caller.session !== null && config.governance === "strict")
    throw new HiveError({
      code: "orphan",
      what: "The mem was not saved.",
      why: "Governance is strict: a mem belongs to a task, and this session has no active task.",
      use_instead: "Give origin_task_id, or start a task first.",
      evidence: "read-head: no active task",
    })
  const hours = input.ttl_hours
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
  return writeGraph(hive, caller, (tx) => {
    tx.set("mem", same.id, { ...to, updated_at })
    return tx.need("mem", same.id)
  })
}

export interface AskedSentence {
  sentence: string
  message: string | null
}

/** The sentence in each session's last message that the model was asked to save if it is a rule. */
const asked = new WeakMap<Store, Map<string, AskedSentence | undefined>>()

export function noteAsked(store: Store, session: string, about: AskedSentence | undefined): void {
  const bySession = asked.get(store) ?? new Map<string, AskedSentence | undefined>()
  bySession.set(session, about)
  asked.set(store, bySession)
}
