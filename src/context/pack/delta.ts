import { isAnchorKept, isKnowledge, isOpenDecision } from "../../graph/lifecycle.ts"
import { isReplaced, memStatus } from "../../graph/mem-status.ts"
import type { GraphState } from "../../graph/state.ts"
import type { FileStatusLookup } from "../../project/document/file-status.ts"
import { memsOnGoneDocuments } from "../../project/document/record-file.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { singleCodeItem } from "./code-items.ts"
import {
  describeRecord,
  descriptionHash,
  planWaits,
  taskWaits,
  type Waits,
  waitsText,
} from "./description.ts"
import { type Block, fitBlock } from "./fit-block.ts"
import { hashOf, type Item, type ItemFacts, type ItemRef, keyOf, refOf, wordings } from "./item.ts"
import { singleAnchorItem } from "./knowledge-items.ts"
import { type Gathered, gatherItems, type PackOptions, type Sources, sourcesOf } from "./pack.ts"
import { avoidItem, conflictItem, isConflictStanding, memItem, openDecisionItem } from "./record-items.ts"
import { ruleItem } from "./rule-items.ts"
import { isTurnConfirmed, singleTurnItem } from "./turn-items.ts"

/** The model's last-read version of one item. */
export interface Known extends ItemRef, Pick<ItemFacts, "identity" | "status" | "waits" | "description"> {
  /** Of its longest wording. */
  hash: string
}

export interface Delta extends Block {
  /** Items that the model knows and that are no longer true. */
  gone: ItemRef[]
}

/** Only changes since the model read `known` (by `keyOf`). `xml` is "" if there are none. */
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
    // An earlier `was` has the same key, and is replaced.
    return said.has(newKey) ? told.filter((each) => keyOf(each) !== newKey) : []
  })
  return {
    ...block,
    items: block.items.filter(isKept),
    gone: [...retracted.filter((each) => said.has(keyOf(each))), ...leftBehind, ...implied].map(refOf),
  }
}

interface Missing {
  /** Other items say that they are gone. */
  implied: Known[]
  /** No longer true. */
  retracted: Known[]
  /** Plans, phases and tasks, by record, whose present status the model needs. */
  left: Known[][]
  /** Still true. */
  hidden: Known[]
}

/** Items that the model knows and the block no longer contains. */
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
      // A task in another role replaces the old one.
      if (shown.has(record)) missing.implied.push(each)
      else records.set(record, [...(records.get(record) ?? []), each])
    } else if (kind === "wait" && !items.has(keyOf({ kind: "task", id, role: "task" }))) {
      // A wait goes with its task.
      missing.implied.push(each)
    } else if (onGoneDocuments.has(id) || !isStillTrue(state, each, sources)) missing.retracted.push(each)
    else missing.hidden.push(each)
  }
  for (const told of records.values())
    if (told.some((each) => hasToBeShown(state, each, sources.files))) missing.left.push(told)
  return missing
}

/** A missing item may only have been outranked, because lists in the block are bounded. Then it is still true. */
function isStillTrue(state: GraphState, { kind, id, role }: Known, { archived, code }: Sources): boolean {
  if (kind === "turn") return isTurnConfirmed(state, id, archived)
  // Undefined: the code map cannot answer now.
  if (kind === "code") return code(id) !== null
  if (kind === "conflict") return isConflictStanding(state, id)
  if (kind === "anchor") return isAnchorKept(state.anchor.get(id))
  if (kind !== "mem") return false
  const mem = state.mem.get(id) ?? archived(id)
  if (mem === undefined || isReplaced(state, id)) return false
  if (role === "avoid") return memStatus(mem) === "false path"
  if (role === "decision") return isOpenDecision(mem)
  const origin = state.task.get(mem.origin_task_id ?? "")
  return isKnowledge(mem) && origin?.status !== "invalidated"
}

/** Items that are true but not shown, and whose text, file or age has changed. */
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

/** True for items that were at hand; for listed ones only if they have changed. */
function hasToBeShown(state: GraphState, known: Known, files: FileStatusLookup): boolean {
  const wasAtHand = known.role === "task" || known.role === "plan" || known.role === "phase"
  return (
    wasAtHand ||
    known.status !== statusOf(state, known) ||
    (known.waits ?? "") !== waitsText(waitsOf(state, known)) ||
    isDescribedOtherwise(state, known, files)
  )
}

function isDescribedOtherwise(state: GraphState, known: Known, files: FileStatusLookup): boolean {
  const now = known.description && describeRecord(state, known, shownAs(known), files)
  return now ? descriptionHash(now) !== known.description : false
}

function shownAs({ role, identity }: Known): string {
  return role === "was" ? (identity["what"] ?? role) : role
}

function waitsOf(state: GraphState, { kind, id }: ItemRef): Waits {
  const task = kind === "task" ? state.task.get(id) : undefined
  if (task !== undefined) return taskWaits(state, task)
  const plan = kind === "plan" ? state.plan.get(id) : undefined
  return plan === undefined ? { waits_for: "", needs_decision: "" } : planWaits(state, plan)
}

function isRecordKind(kind: ItemRef["kind"]): kind is "plan" | "phase" | "task" {
  return kind === "plan" || kind === "phase" || kind === "task"
}

function statusOf(state: GraphState, { kind, id }: ItemRef): string {
  if (kind === "conflict") return "settled"
  return (isRecordKind(kind) ? state[kind].get(id)?.status : undefined) ?? "gone"
}

/** Items whose role has changed, such as a mem that turned out to be a false path: in the old role they are gone. */
function replaced(changes: readonly [string, Item][], known: ReadonlyMap<string, Known>): Known[] {
  return changes.flatMap(([key, item]) => {
    const before = known.get(key)
    // For plans, phases and tasks the new element says all.
    if (before === undefined || before.role === "was" || isRecordKind(before.kind)) return []
    return before.role === item.role ? [] : [before]
  })
}

function leftItem(state: GraphState, told: readonly Known[], files: FileStatusLookup): Item {
  // The task at hand was described in the most detail.
  const known = told.find((each) => shownAs(each) === "task") ?? (told[0] as Known)
  const isDescribed = told.some((each) => isDescribedOtherwise(state, each, files))
  return wasItem(state, known, files, isDescribed)
}

/** Has words only if they have changed. */
function wasItem(state: GraphState, known: Known, files: FileStatusLookup, isDescribed = false): Item {
  const { kind, role, identity } = known
  const isRecord = isRecordKind(kind)
  const status = statusOf(state, known)
  const named = role === "was" ? identity : { what: role, ...identity }
  const waits = waitsOf(state, known)
  const description = isRecord ? describeRecord(state, known, shownAs(known), files) : undefined
  const told = isDescribed ? description : undefined
  const shown = { ...named, status, ...told?.attributes, ...waits }
  return {
    ...refOf(known),
    // Records go on being known as `was`; anything else is forgotten, under the key that it had.
    ...(isRecord ? { role: "was" as const, identity: named } : { identity }),
    status,
    waits: waitsText(waits),
    description: description && descriptionHash(description),
    section: "was",
    worth: 860,
    reason: "no longer so",
    ...wordings(WIDTHS, (max) => element("was", shown, shorten(told?.words ?? "", max))),
  }
}

const CHANGED = "it was said otherwise before"
const WIDTHS = [160, 60]
