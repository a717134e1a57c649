import { isStanding } from "../../graph/conflict-standing.ts"
import { isAnchorKept, isKnowledge, isOpenDecision } from "../../graph/lifecycle.ts"
import { isReplaced, standingOf } from "../../graph/mem-standing.ts"
import type { GraphState } from "../../graph/state.ts"
import type { CodeLook } from "../../project/codemap/code-look.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import { memsOnGoneDocuments } from "../../project/document/gone-documents.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import type { Warning } from "../../watch/warning.ts"
import { type Block, fitBlock } from "./block.ts"
import { describeRecord, descriptionHash } from "./description.ts"
import { wordings } from "./fit.ts"
import { hiddenItem } from "./hidden-items.ts"
import { factsOf, type Item, type ItemFacts, type ItemRef, keyOf, refOf } from "./item.ts"
import { type Gathered, gatherItems, type PackOptions } from "./pack.ts"
import { hashOf } from "./text-hash.ts"
import { isTurnBorneOut } from "./turn-items.ts"
import { planWaits, taskWaits, type Waits, waitsText } from "./waits.ts"
import { warningItem } from "./warning-item.ts"

/** What the model has read about one thing. */
export interface Known extends ItemRef, Pick<ItemFacts, "identity" | "status" | "waits" | "description"> {
  /** Of its fullest wording. */
  hash: string
}

export interface Delta extends Block {
  /** What the model knows and is no longer so. */
  gone: ItemRef[]
}

/** Only what changed against what the model knows, by `keyOf`. `xml` is "" where nothing did. */
export function packDelta(
  state: GraphState,
  head: Trajectory | undefined,
  read: ReadonlyMap<string, Known>,
  options: PackOptions & { budget: number },
  { items }: Gathered = gatherItems(state, head, options),
): Delta {
  const known = withOutdated(read, options.outdated ?? [])
  const changes = [...items].filter(([key, item]) => known.get(key)?.hash !== hashOf(item.render(0)))
  const files = options.files ?? UNKNOWN
  const { implied, retracted, left, hidden } = findGone(state, known, items, options)
  const changed = [...changes.map(([, item]) => item), ...changedHidden(state, hidden, options)]
  if (changed.length + implied.length + retracted.length + left.size === 0)
    return { xml: "", items: [], dropped: [], tokens: 0, gone: [] }
  const was = [
    ...Array.from(left.values(), (told) => leftItem(state, told, files)),
    ...[...retracted, ...replaced(changes, known)].map((each) => wasItem(state, each, files)),
  ]
  const frame = { tag: "hivemind_delta", attributes: {}, more: options.more }
  const block = fitBlock(frame, [...changed, ...was], [], options.budget, options.vocabulary)
  const said = new Set(block.items.filter(({ section }) => section === "was").map(keyOf))
  const isKept = ({ section, kind }: ItemFacts) => section !== "was" || isRecordKind(kind)
  const leftBehind = [...left.values()].flatMap((all) => {
    const told = keyOf({ ...(all[0] as Known), role: "was" })
    // Under one key, what is said now takes the place of what was.
    return said.has(told) ? all.filter((each) => keyOf(each) !== told) : []
  })
  return {
    ...block,
    items: block.items.filter(isKept),
    gone: [...retracted.filter((each) => said.has(keyOf(each))), ...leftBehind, ...implied].map(refOf),
  }
}

/** What calls have warned of in their results was read, too. */
function withOutdated(
  read: ReadonlyMap<string, Known>,
  outdated: readonly Warning[],
): ReadonlyMap<string, Known> {
  if (outdated.length === 0) return read
  const said = outdated.map(warningItem)
  return new Map([
    ...read,
    ...said.map((item) => [keyOf(item), { ...factsOf(item), hash: hashOf(item.render(0)) }] as const),
  ])
}

/**
 * What the model knows and the block does not say now. `implied` is what other items say already, `retracted` what has to
 * be taken back, `left` the plans, phases and tasks, by record, whose status it has to be told: they are out of sight from
 * now on, or were and have changed. `hidden` still holds, if perhaps in other words.
 */
function findGone(
  state: GraphState,
  known: ReadonlyMap<string, Known>,
  items: ReadonlyMap<string, Item>,
  {
    archived = () => undefined,
    files = UNKNOWN,
    code = () => undefined,
  }: Pick<PackOptions, "archived" | "files" | "code">,
): { implied: Known[]; retracted: Known[]; left: Map<string, Known[]>; hidden: Known[] } {
  const shown = new Set(Array.from(items.values(), ({ kind, id }) => `${kind} ${id}`))
  const missing = [...known].filter(([key]) => !items.has(key)).map(([, each]) => each)
  const misled = new Set(Array.from(memsOnGoneDocuments(state), ({ id }) => id))
  const implied: Known[] = []
  const retracted: Known[] = []
  const hidden: Known[] = []
  const records = new Map<string, Known[]>()
  for (const each of missing) {
    const { kind, id } = each
    if (isRecordKind(kind)) {
      // A task in another role replaces the old one.
      if (shown.has(`${kind} ${id}`)) implied.push(each)
      else records.set(`${kind} ${id}`, [...(records.get(`${kind} ${id}`) ?? []), each])
    } else if (kind === "wait" && !items.has(keyOf({ kind: "task", id, role: "task" }))) {
      // What a task waits for is off the table with the task.
      implied.push(each)
    } else if (misled.has(id) || !isStillTrue(state, each, archived, code)) retracted.push(each)
    else hidden.push(each)
  }
  const left = new Map([...records].filter(([, told]) => told.some((each) => isToBeTold(state, each, files))))
  return { implied, retracted, left, hidden }
}

/** Of what still holds and is not shown, that which would be said otherwise now. */
function changedHidden(state: GraphState, hidden: readonly Known[], options: PackOptions): Item[] {
  const { now, evidence = () => undefined, files = UNKNOWN, archived = () => undefined } = options
  const input = { state, now, evidence, files, archived, code: options.code ?? (() => undefined) }
  return hidden.flatMap((each) => {
    const item = hiddenItem(input, each)
    return item === undefined || hashOf(item.render(0)) === each.hash ? [] : [item]
  })
}

/** What was at hand is told of when it leaves; what was only listed, and what has left, when something about it changes. */
function isToBeTold(state: GraphState, known: Known, files: FileLook): boolean {
  const wasAtHand = known.role === "task" || known.role === "plan" || known.role === "phase"
  return (
    wasAtHand ||
    known.status !== statusOf(state, known) ||
    // Nothing was recorded of what waits for nothing.
    (known.waits ?? "") !== waitsText(waitsOf(state, known)) ||
    isDescribedOtherwise(state, known, files)
  )
}

/** Its title, its assignee or the like is not what was told. Of what an earlier version told, nothing is known. */
function isDescribedOtherwise(state: GraphState, known: Known, files: FileLook): boolean {
  const now = known.description && describeRecord(state, known, shownAs(known), files)
  return now ? descriptionHash(now) !== known.description : false
}

/** What it was shown as when the model was last told what it is. */
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

/**
 * Lists in the block are bounded, so a mem, an anchor or a task that is not in them now may only have been outranked.
 * That is no news; what it says is still true.
 */
function isStillTrue(
  state: GraphState,
  { kind, id, role }: Known,
  archived: (id: string) => Mem | undefined,
  code: CodeLook,
): boolean {
  // What happened has happened, also where other turns have become more telling; unless it was undone.
  if (kind === "turn") return isTurnBorneOut(state, id, archived)
  // As long as nobody can be asked, nothing is known to be otherwise.
  if (kind === "code") return code(id) !== null
  if (kind === "conflict") {
    const conflict = state.conflict.get(id)
    return conflict !== undefined && isStanding(conflict, state)
  }
  if (kind === "anchor") return isAnchorKept(state.anchor.get(id))
  if (kind === "mem") {
    const mem = state.mem.get(id) ?? archived(id)
    // What was put away before it was replaced is not marked.
    if (mem === undefined || isReplaced(state, id)) return false
    if (role === "avoid") return standingOf(mem) === "false path"
    if (role === "decision") return isOpenDecision(mem)
    const origin = state.task.get(mem.origin_task_id ?? "")
    return isKnowledge(mem) && origin?.status !== "invalidated"
  }
  return false
}

/** What is shown in another role now, such as a mem that turned out to be a false path: as what it was it is gone. */
function replaced(changes: readonly [string, Item][], known: ReadonlyMap<string, Known>): Known[] {
  return changes.flatMap(([key, item]) => {
    const before = known.get(key)
    return before === undefined || before.role === item.role || before.role === "was" ? [] : [before]
  })
}

/** What has become of a record, and what it is now where that was told otherwise. */
function leftItem(state: GraphState, told: readonly Known[], files: FileLook): Item {
  // What was told of the task at hand is the most.
  const known = told.find((each) => shownAs(each) === "task") ?? (told[0] as Known)
  return wasItem(
    state,
    known,
    files,
    told.some((each) => isDescribedOtherwise(state, each, files)),
  )
}

/** Without words, what was said of it before still stands, but for its status and what it waits for. */
function wasItem(state: GraphState, known: Known, files: FileLook, isDescribed = false): Item {
  const { kind, role, identity } = known
  const status = statusOf(state, known)
  const what = role === "was" ? {} : { what: role }
  const named = { ...what, ...identity }
  const waits = waitsOf(state, known)
  const description = isRecordKind(kind) ? describeRecord(state, known, shownAs(known), files) : undefined
  const told = isDescribed ? description : undefined
  const shown = { ...named, status, ...told?.attributes, ...waits }
  return {
    ...refOf(known),
    // Of a record it is kept what was said last. Anything else is forgotten under the key it had.
    ...(isRecordKind(kind) ? { role: "was" as const, identity: named } : { identity }),
    status,
    waits: waitsText(waits),
    description: description && descriptionHash(description),
    section: "was",
    worth: 860,
    reason: "no longer so",
    ...wordings(WIDTHS, (max) => element("was", shown, shorten(told?.words ?? "", max))),
  }
}

const UNKNOWN: FileLook = () => undefined
const WIDTHS = [160, 60]
