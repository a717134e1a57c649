import { isAnchorKept, isKnowledge, isOpenDecision } from "../../graph/lifecycle.ts"
import { isReplaced, memStatus } from "../../graph/mem-status.ts"
import { isOpenConflict } from "../../graph/open-conflicts.ts"
import type { GraphState } from "../../graph/state.ts"
import type { FileStatusLookup } from "../../project/document/file-status.ts"
import { memsOnGoneDocuments } from "../../project/document/record-file.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { singleCodeItem } from "./code-items.ts"
import { type Description, describeRecord, descriptionHash, NO_WAITS, waitsText } from "./description.ts"
import { type Block, fitBlock } from "./fit-block.ts"
import { hashOf, type Item, type ItemFacts, type ItemRef, keyOf, refOf, wordings } from "./item.ts"
import { singleAnchorItem } from "./knowledge-items.ts"
import { type Gathered, gatherItems, type PackOptions, type Sources, sourcesOf } from "./pack.ts"
import { avoidItem, conflictItem, memItem, openDecisionItem } from "./record-items.ts"
import { ruleItem } from "./rule-items.ts"
import { isTurnConfirmed, singleTurnItem } from "./turn-items.ts"

export interface Known extends ItemRef, Pick<ItemFacts, "identity" | "status" | "waits" | "description"> {
  hash: string
}

export interface Delta extends Block {
  gone: ItemRef[]
}

/** Packs only what differs from `known`, the items that the model has read. `xml` is "" if nothing has changed. */
export function packDelta(
  state: GraphState,
  head: Trajectory | undefined,
  known: ReadonlyMap<string, Known>,
  options: PackOptions & { budget: number },
  { items }: Gathered = gatherItems(state, head, options),
): Delta {
  const sources = sourcesOf(options)
  const { files } = sources
  const changes = [...items].filter(([key, item]) => known.get(key)?.hash !== hashOf(item.render(0)))
  const { implied, retracted, left, hidden } = findMissing(state, known, items, sources)
  const changed = [...changes.map(([, item]) => item), ...changedHidden(state, hidden, sources)]
  if (changed.length + implied.length + retracted.length + left.length === 0)
    return { xml: "", items: [], dropped: [], tokens: 0, gone: [] }
  const was = [
    ...left.map((told) => leftItem(state, told, files)),
    ...[...retracted, ...replaced(changes, known)].map((each) => wasItem(state, each, files)),
  ]
  const frame = { tag: "hivemind_delta", attributes: {}, more: options.more }
  const block = fitBlock(frame, [...changed, ...was], [], options.budget, options.vocabulary)
  const said = new Set(block.items.filter(({ section }) => section === "was").map(keyOf))
  const isKept = ({ section, kind }: ItemFacts) => section !== "was" || isRecordKind(kind)
  const leftBehind = left.flatMap((told) => {
    const newKey = keyOf({ ...(told[0] as Known), role: "was" })
    // The new `was` element replaces an earlier one, which has the same key.
    return said.has(newKey) ? told.filter((each) => keyOf(each) !== newKey) : []
  })
  return {
    ...block,
    items: block.items.filter(isKept),
    gone: [...retracted.filter((each) => said.has(keyOf(each))), ...leftBehind, ...implied].map(refOf),
  }
}

interface Missing {
  /** Items that need no mention: another item in the block already tells the model that they are gone. */
  implied: Known[]
  retracted: Known[]
  /** Plans, phases and tasks whose current status the model must get: one list per record, with the items that showed it. */
  left: Known[][]
  hidden: Known[]
}

/** Groups the items that the model knows but the block no longer contains. */
function findMissing(
  state: GraphState,
  known: ReadonlyMap<string, Known>,
  items: ReadonlyMap<string, Item>,
  sources: Sources,
): Missing {
  const shown = new Set(Array.from(items.values(), ({ kind, id }) => `${kind} ${id}`))
  const onGoneDocuments = new Set(Array.from(memsOnGoneDocuments(state), ({ id }) => id))
  const missing: Missing = { implied: [], retracted: [], left: [], hidden: [] }
  const records = new Map<string, Known[]>()
  for (const [key, each] of known) {
    if (items.has(key)) continue
    const { kind, id } = each
    const record = `${kind} ${id}`
    if (isRecordKind(kind)) {
      // The record is still shown, in another role, which replaces the old role.
      if (shown.has(record)) missing.implied.push(each)
      else records.set(record, [...(records.get(record) ?? []), each])
    } else if (kind === "wait" && !items.has(keyOf({ kind: "task", id, role: "task" }))) {
      // A `wait` item disappears together with its task.
      missing.implied.push(each)
    } else if (onGoneDocuments.has(id) || !isStillTrue(state, each, sources)) missing.retracted.push(each)
    else missing.hidden.push(each)
  }
  for (const told of records.values())
    if (told.some((each) => hasToBeShown(state, each, sources.files))) missing.left.push(told)
  return missing
}

/** True if an item that is no longer shown is still valid. It may be missing because the block's lists are limited. */
function isStillTrue(state: GraphState, { kind, id, role }: Known, { archived, code }: Sources): boolean {
  if (kind === "turn") return isTurnConfirmed(state, id, archived)
  // Undefined means that the code map cannot answer now, so the item stays.
  if (kind === "code") return code(id) !== null
  if (kind === "conflict") {
    const conflict = state.conflict.get(id)
    return conflict !== undefined && isOpenConflict(conflict, state)
  }
  if (kind === "anchor") return isAnchorKept(state.anchor.get(id))
  if (kind !== "mem") return false
  const mem = state.mem.get(id) ?? archived(id)
  if (mem === undefined || isReplaced(state, id)) return false
  if (role === "avoid") return memStatus(mem) === "false path"
  if (role === "decision") return isOpenDecision(mem)
  const origin = state.task.get(mem.origin_task_id ?? "")
  return isKnowledge(mem) && origin?.status !== "invalidated"
}

/** Valid items that are not shown, but whose text, file or age has changed since the model saw them. */
function changedHidden(state: GraphState, hidden: readonly Known[], sources: Sources): Item[] {
  return hidden.flatMap((each) => {
    const item = hiddenItem(state, each, sources)
    return item === undefined || hashOf(item.render(0)) === each.hash ? [] : [item]
  })
}

function hiddenItem(state: GraphState, { kind, id, role }: ItemRef, sources: Sources): Item | undefined {
  const { evidence, archived, code } = sources
  if (kind === "anchor") return singleAnchorItem(state, id, CHANGED, sources)
  if (kind === "code") return singleCodeItem(id, code, CHANGED)
  if (kind === "turn") return singleTurnItem(state, id, archived)
  if (kind === "conflict") {
    const conflict = state.conflict.get(id)
    return conflict && conflictItem(state, conflict)
  }
  const mem = kind === "mem" ? (state.mem.get(id) ?? archived(id)) : undefined
  if (mem === undefined) return undefined
  if (role === "decision") return openDecisionItem(mem)
  if (role === "rule") return ruleItem(state, mem, 0)
  const ranked = { mem, score: 0, reason: CHANGED }
  return role === "avoid" ? avoidItem(ranked) : memItem(ranked, evidence)
}

/** Whether a record that is no longer shown gets a `was` element: always if it was the session's own, else if it has changed. */
function hasToBeShown(state: GraphState, known: Known, files: FileStatusLookup): boolean {
  if (known.role === "task" || known.role === "plan" || known.role === "phase") return true
  const now = describedNow(state, known, files)
  const isSame =
    known.status === (now?.status ?? "gone") && (known.waits ?? "") === waitsText(now?.waits ?? NO_WAITS)
  return !isSame || isDescribedOtherwise(known, now)
}

function isDescribedOtherwise({ description }: Known, now: Description | undefined): boolean {
  return description !== undefined && now !== undefined && descriptionHash(now) !== description
}

function describedNow(state: GraphState, known: Known, files: FileStatusLookup) {
  return describeRecord(state, known, shownAs(known), files)
}

const shownAs = ({ role, identity }: Known): string => (role === "was" ? (identity["what"] ?? role) : role)

function isRecordKind(kind: ItemRef["kind"]): boolean {
  return kind === "plan" || kind === "phase" || kind === "task"
}

/** Items in a new role, such as a mem that has become a false path: the model has to forget them in the old role. */
function replaced(changes: readonly [string, Item][], known: ReadonlyMap<string, Known>): Known[] {
  return changes.flatMap(([key, item]) => {
    const before = known.get(key)
    if (before === undefined || before.role === "was" || isRecordKind(before.kind)) return []
    return before.role === item.role ? [] : [before]
  })
}

function leftItem(state: GraphState, told: readonly Known[], files: FileStatusLookup): Item {
  const known = told.find((each) => shownAs(each) === "task") ?? (told[0] as Known)
  const isDescribed = told.some((each) => isDescribedOtherwise(each, describedNow(state, each, files)))
  return wasItem(state, known, files, isDescribed)
}

/** The `was` element about an item that is no longer shown. It repeats the item's words only if they have changed. */
function wasItem(state: GraphState, known: Known, files: FileStatusLookup, isDescribed = false): Item {
  const { kind, role, identity } = known
  const now = describedNow(state, known, files)
  const { status = kind === "conflict" ? "settled" : "gone", waits = NO_WAITS } = now ?? {}
  const named = role === "was" ? identity : { what: role, ...identity }
  const told = isDescribed ? now : undefined
  const shown = { ...named, status, ...told?.attributes, ...waits }
  return {
    ...refOf(known),
    // A plan, phase or task stays known to the model in the role `was`; any other item is forgotten under its old key.
    ...(isRecordKind(kind) ? { role: "was" as const, identity: named } : { identity }),
    status,
    waits: waitsText(waits),
    description: now && descriptionHash(now),
    section: "was",
    worth: 860,
    reason: "changed or gone since the model saw it",
    ...wordings(WIDTHS, (max) => element("was", shown, shorten(told?.words ?? "", max))),
  }
}

const CHANGED = "the model was told something else before"
const WIDTHS = [160, 60]
