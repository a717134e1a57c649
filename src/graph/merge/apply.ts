import type { Conflict } from "../../schemas/conflict.ts"
import { type Entry, isReturn } from "../../schemas/entry.ts"
import { type Anchor, anchorKey, type Mem } from "../../schemas/knowledge.ts"
import { isAddOf, isSetOf, type Op } from "../../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { isAnchorKept, isMemInForce } from "../lifecycle.ts"
import { findCycle, linksFrom } from "../links.ts"
import { changeBetween, isSame } from "../state.ts"
import { type FieldChange, type Fields, type MergeDraft, noteConflict } from "./draft.ts"
import { isShared } from "./order.ts"
import { canStand, mergeFields, mergeStatus, withoutDeadLinks } from "./resolve.ts"

/** Applies an entry of any clone. Never fails: contradictions are settled by rules that are the same in every clone. */
export function mergeEntry(draft: MergeDraft, entry: Entry): void {
  const ops = entry.meant ?? entry.ops
  if (choosesAgain(draft, ops)) return
  for (const op of ops)
    if (op.op === "add") add(draft, entry, op.kind, op.record)
    else if (op.op === "set") set(draft, entry, op.kind, op.id, { to: op.to, was: op.was }, ops)
    else if (op.op === "drop") drop(draft, entry, op.kind, op.was, ops)
}

export function takeBack(draft: MergeDraft, entry: Entry): void {
  for (const op of [...entry.ops].reverse())
    if (op.op === "add" && isReturn(entry, op)) draft.put(op.kind, op.record)
    else if (op.op === "add") draft.remove(op.kind, op.record.id)
    else if (op.op === "drop") draft.put(op.kind, op.was)
    else if (op.op === "set") {
      const after = draft.get(op.kind, op.id)
      // The cast is safe: the fields of the op were validated for this kind.
      if (after !== undefined) draft.put(op.kind, { ...after, ...op.was } as AnyRecord)
    }
}

function add(draft: MergeDraft, entry: Entry, kind: Kind, record: AnyRecord): void {
  const known = draft.get(kind, record.id)
  if (known !== undefined) {
    chooseVersion(draft, entry, kind, known, record)
    return
  }
  if (!canStand(draft, kind, record)) {
    noteConflict(draft, entry, { rule: "dropped", kind, id: record.id, kept: {}, lost: { record } })
    return
  }
  draft.put(kind, withoutDeadLinks(draft, kind, record))
  settleAnchorKey(draft, entry, kind, record.id)
}

/** Handles two clones that added a record with the same id: the version with the later `updated_at` is kept. */
function chooseVersion(
  draft: MergeDraft,
  entry: Entry,
  kind: Kind,
  known: AnyRecord,
  other: AnyRecord,
): void {
  const change = changeBetween<AnyRecord>(known, other)
  if (change === undefined) return
  const isLater = versionKey(other) > versionKey(known)
  if (isLater) {
    const next = withoutDeadLinks(draft, kind, other)
    draft.put(kind, next)
    withoutCircles(draft, entry, kind, known, next)
    settleAnchorKey(draft, entry, kind, known.id)
  }
  const [kept, lost] = isLater ? [change.to, change.was] : [change.was, change.to]
  const clash = { rule: "versions", kind, id: known.id, kept, lost } as const
  noteConflict(draft, entry, { ...clash, lostIsOlder: isLater, isNoted: true })
}

function versionKey(record: AnyRecord): string {
  return `${"updated_at" in record ? record.updated_at : ""} ${JSON.stringify(record)}`
}

function set(
  draft: MergeDraft,
  entry: Entry,
  kind: Kind,
  id: string,
  change: FieldChange,
  ops: readonly Op[],
): void {
  const now = draft.get(kind, id)
  if (now === undefined) {
    // The settled conflict no longer exists, so there is nothing to do.
    if (kind === "conflict") return
    const { updated_at: _, ...lost } = change.to
    if (isShared(kind) && Object.keys(lost).length > 0)
      noteConflict(draft, entry, { rule: "dropped", kind, id, kept: {}, lost })
    return
  }
  const to = withReplacements(draft, ops, kind, now, change.to)
  const follows = mergeStatus(draft, entry, kind, now, { to, was: change.was })
  const { next, overwritten } = mergeFields(kind, now, follows)
  // The cast is safe: record and fields were both validated.
  const merged = withoutDeadLinks(draft, kind, { ...now, ...next } as AnyRecord)
  draft.put(kind, merged)
  withoutCircles(draft, entry, kind, now, merged)
  if (Object.keys(overwritten).length > 0) {
    const kept = Object.fromEntries(Object.keys(overwritten).map((field) => [field, follows.to[field]]))
    const clash = { rule: "same_field", kind, id, kept, lost: overwritten } as const
    // A person has to decide, because every session reads the anchor.
    noteConflict(draft, entry, { ...clash, lostIsOlder: true, isNoted: kind !== "anchor" })
  }
  settleAnchorKey(draft, entry, kind, id)
  if (kind === "mem") noteSecondReplacement(draft, entry, now as Mem, change, ops)
}

/** Notes a conflict if two clones replaced one mem, neither knowing of the other. Both new mems stay until one is chosen. */
function noteSecondReplacement(
  draft: MergeDraft,
  entry: Entry,
  { id, status }: Mem,
  { to, was }: FieldChange,
  ops: readonly Op[],
): void {
  if (status !== "superseded" || to["status"] !== "superseded" || was["status"] !== "active") return
  const added = ops.flatMap((op) => (isAddOf(op, "mem") && op.record.supersedes === id ? op.record : []))
  const others = draft.by("mem", "supersedes", id) as Mem[]
  for (const mem of added.filter(isStated))
    for (const other of others.filter(isStated)) {
      if (other.content === mem.content) continue
      const [kept, lost] = [{ content: mem.content }, { id: other.id, content: other.content }]
      noteConflict(draft, entry, {
        rule: "replaced_twice",
        kind: "mem",
        id: mem.id,
        kept,
        lost,
        lostIsOlder: true,
      })
    }
}

/** False for a mem that repeats a file, a commit or another record: clones on different commits have different ones. */
function isStated({ origin }: Mem): boolean {
  return origin === "saved" || origin === "said" || origin === "correction"
}

/** True if the ops choose between two replacements of a mem and another clone has already chosen: its choice stands. */
function choosesAgain(draft: MergeDraft, ops: readonly Op[]): boolean {
  return ops.some((op) => {
    if (!isSetOf(op, "conflict") || op.to.status !== "settled") return false
    const known = draft.get("conflict", op.id) as Conflict | undefined
    return known?.rule === "replaced_twice" && known.status === "settled"
  })
}

/** Drops a record, unless others link to it. Changes that other clones made to it are kept in a conflict. */
function drop(draft: MergeDraft, entry: Entry, kind: Kind, was: AnyRecord, ops: readonly Op[]): void {
  const now = draft.get(kind, was.id)
  if (now === undefined) return
  const gone = new Set(ops.flatMap((op) => (op.op === "drop" ? op.id : [])))
  if (isNeeded(draft, kind, was.id, gone)) {
    noteConflict(draft, entry, { rule: "dropped", kind, id: was.id, kept: { record: now }, lost: {} })
    return
  }
  draft.remove(kind, was.id)
  const { updated_at: _, ...change }: Fields = changeBetween<AnyRecord>(was, now)?.to ?? {}
  if (!isShared(kind) || Object.keys(change).length === 0) return
  const clash = { rule: "dropped", kind, id: was.id, kept: {}, lost: { record: now } } as const
  noteConflict(draft, entry, { ...clash, lostIsOlder: true })
}

function isNeeded(draft: MergeDraft, kind: Kind, id: string, gone: ReadonlySet<string>): boolean {
  const links = kinds.filter(isShared).flatMap(linksFrom)
  return links.some(
    ({ from, to, field }) =>
      (to === kind || to === "any") && draft.by(from, field, id).some((record) => !gone.has(record.id)),
  )
}

/** Handles two clones that saved anchors with the same key: the one that is later in the order of entries stays. */
function settleAnchorKey(draft: MergeDraft, entry: Entry, kind: Kind, id: string): void {
  if (kind !== "anchor") return
  const anchor = draft.get("anchor", id) as Anchor | undefined
  if (anchor === undefined || !isAnchorKept(anchor)) return
  for (const other of draft.by("anchor", "key", anchorKey(anchor.key)) as Anchor[]) {
    if (other.id === id || !isAnchorKept(other)) continue
    draft.put("anchor", { ...other, status: "removed" })
    const shown = ({ key, value, priority }: Anchor) => ({ key, value, priority })
    const [kept, lost] = [shown(anchor), shown(other)]
    noteConflict(draft, entry, { rule: "anchor_key", kind, id, kept, lost, lostIsOlder: true })
  }
}

/** Removes new links that would form a circle with another clone's links, and records a conflict. */
function withoutCircles(
  draft: MergeDraft,
  entry: Entry,
  kind: Kind,
  before: AnyRecord,
  after: AnyRecord,
): void {
  for (const field of FIELDS[kind] ?? []) {
    const [was, now] = [idsOf(before, field), idsOf(after, field)]
    if (isSame(was, now)) continue
    const next = (id: string) => idsOf(draft.get(kind, id), field)
    const isList = Array.isArray((after as Fields)[field])
    const shape = (ids: string[]) => (isList ? [...ids] : (ids[0] ?? null))
    const known = new Set(was)
    const good = [...now]
    for (const id of now.filter((each) => !known.has(each))) {
      if (findCycle(after.id, next) === undefined) break
      good.splice(good.indexOf(id), 1)
      // The cast is safe: the field gets fewer of its own ids, or null.
      draft.put(kind, { ...(draft.get(kind, after.id) ?? after), [field]: shape(good) } as AnyRecord)
    }
    if (good.length === now.length) continue
    const [kept, lost] = [{ [field]: shape(good) }, { [field]: shape(now) }]
    noteConflict(draft, entry, { rule: "circle", kind, id: after.id, kept, lost })
  }
}

function idsOf(record: AnyRecord | undefined, field: string): string[] {
  const value = (record as Fields | undefined)?.[field]
  return Array.isArray(value) ? (value as string[]) : typeof value === "string" ? [value] : []
}

const FIELDS: Partial<Record<Kind, readonly string[]>> = {
  task: ["depends_on", "parent_task_id"],
  plan: ["depends_on"],
  mem: ["supersedes", "parent_mem_id"],
}

/** Corrects a change of a mem's status: a mem stays `superseded` as long as a valid mem supersedes it. */
function withReplacements(
  draft: MergeDraft,
  ops: readonly Op[],
  kind: Kind,
  record: AnyRecord,
  to: Fields,
): Fields {
  if (kind !== "mem") return to
  // The cast is safe: the kind is mem.
  const { id, status } = record as Mem
  const isReplacing = ops.some((op) => isAddOf(op, "mem") && op.record.supersedes === id)
  if (isReplacing) return status === "active" ? { ...to, status: "superseded" } : to
  if (to["status"] !== "active" || status !== "superseded") return to
  const dropped = new Set(ops.flatMap((op) => (op.op === "drop" ? op.id : [])))
  const others = draft.by("mem", "supersedes", id).filter((other) => !dropped.has(other.id))
  if (!others.some((other) => isMemInForce(other as Mem))) return to
  const { status: _, ...rest } = to
  return rest
}

/** The ids of mems that the ops set to `active`. The caller loads archived mems that may supersede them. */
export function putBackIn(ops: readonly Op[]): string[] {
  return ops.flatMap((op) => (op.op === "set" && op.kind === "mem" && op.to.status === "active" ? op.id : []))
}
