import { type Entry, isReturn } from "../../schemas/entry.ts"
import type { Op } from "../../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { changeBetween } from "../change.ts"
import { linksFrom } from "../links.ts"
import { settleAnchorKey } from "./anchor-key.ts"
import { isBase } from "./base.ts"
import { withoutCircles } from "./circles.ts"
import { type Fields, noteConflict } from "./conflicts.ts"
import type { MergeDraft } from "./draft.ts"
import { mergeFields } from "./fields.ts"
import { canStand, withoutDeadLinks } from "./links.ts"
import { withReplacements } from "./replaced.ts"
import { isShared } from "./shared.ts"
import { mergeStatus } from "./status.ts"

/**
 * Applies an entry as its writer meant it, whatever others have written that came before it in the order. Merging never
 * fails: what cannot hold beside something else is settled by a rule, the same in every clone, and what lost is noted.
 */
export function mergeEntry(draft: MergeDraft, entry: Entry): void {
  const ops = entry.meant ?? entry.ops
  for (const op of ops) {
    if (!("kind" in op)) continue
    switch (op.op) {
      case "add":
        add(draft, entry, op.kind, op.record)
        break
      case "set":
        set(draft, entry, op.kind, op.id, { to: op.to, was: op.was }, ops)
        break
      case "drop":
        drop(draft, entry, op.kind, op.was, ops)
        break
      case "archive":
        break // It is still there, only elsewhere.
    }
  }
}

/** The opposite of what an entry did here. */
export function takeBack(draft: MergeDraft, entry: Entry): void {
  for (const op of [...entry.ops].reverse()) {
    if (!("kind" in op)) continue
    switch (op.op) {
      case "add":
        if (isReturn(entry, op)) draft.put(op.kind, op.record)
        else draft.remove(op.kind, op.record.id)
        break
      case "set": {
        const after = draft.get(op.kind, op.id)
        // The fields are those of a record of this kind, as the line's own check has found.
        if (after !== undefined) draft.put(op.kind, { ...after, ...op.was } as AnyRecord)
        break
      }
      case "drop":
        draft.put(op.kind, op.was)
        break
      case "archive":
        break
    }
  }
}

function add(draft: MergeDraft, entry: Entry, kind: Kind, record: AnyRecord): void {
  const known = draft.get(kind, record.id)
  if (known !== undefined) {
    chooseVersion(draft, entry, kind, known, record)
    return
  }
  // What it belongs to is among the others from before the log, which come in no order.
  if (isBase(entry)) {
    draft.put(kind, record)
    settleAnchorKey(draft, entry, kind, record.id)
    return
  }
  if (!canStand(draft, kind, record)) {
    noteConflict(draft, entry, { rule: "dropped", kind, id: record.id, kept: {}, lost: { record } })
    return
  }
  draft.put(kind, withoutDeadLinks(draft, kind, record))
  settleAnchorKey(draft, entry, kind, record.id)
}

/** Two clones have brought the same record along, from before there was a log. The later version counts. */
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
    const next = isBase(entry) ? other : withoutDeadLinks(draft, kind, other)
    draft.put(kind, next)
    withoutCircles(draft, entry, kind, known, next)
    settleAnchorKey(draft, entry, kind, known.id)
  }
  const [kept, lost] = isLater ? [change.to, change.was] : [change.was, change.to]
  noteConflict(draft, entry, {
    rule: "versions",
    kind,
    id: known.id,
    kept,
    lost,
    lostIsOlder: isLater,
    isNoted: true,
  })
}

function versionKey(record: AnyRecord): string {
  return `${"updated_at" in record ? record.updated_at : ""} ${JSON.stringify(record)}`
}

function set(
  draft: MergeDraft,
  entry: Entry,
  kind: Kind,
  id: string,
  change: { to: Fields; was: Fields },
  ops: readonly Op[],
): void {
  const now = draft.get(kind, id)
  if (now === undefined) {
    // A conflict that somebody has settled and that is none any more needs no settling.
    if (kind === "conflict") return
    const { updated_at: _, ...lost } = change.to
    if (isShared(kind) && Object.keys(lost).length > 0)
      noteConflict(draft, entry, { rule: "dropped", kind, id, kept: {}, lost })
    return
  }
  const to = withReplacements(draft, ops, kind, now, change.to)
  const follows = mergeStatus(draft, entry, kind, now, { to, was: change.was })
  const { next, overwritten } = mergeFields(kind, now, follows)
  // Good fields over a good record are a good record.
  const merged = withoutDeadLinks(draft, kind, { ...now, ...next } as AnyRecord)
  draft.put(kind, merged)
  withoutCircles(draft, entry, kind, now, merged)
  if (Object.keys(overwritten).length > 0) {
    const kept = Object.fromEntries(Object.keys(overwritten).map((field) => [field, follows.to[field]]))
    const clash = { rule: "same_field", kind, id, kept, lost: overwritten } as const
    noteConflict(draft, entry, { ...clash, lostIsOlder: true, isNoted: true })
  }
  settleAnchorKey(draft, entry, kind, id)
}

/** What others need stays. What they have changed goes, but what they changed is not forgotten. */
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
  return kinds.some(
    (user) =>
      isShared(user) &&
      linksFrom(user).some(
        ({ to, field }) =>
          (to === kind || to === "any") && draft.by(user, field, id).some((record) => !gone.has(record.id)),
      ),
  )
}
