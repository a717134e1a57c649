import { createHash } from "node:crypto"
import { isStanding } from "../../graph/conflict-standing.ts"
import { isAnchorKept, isKnowledge, isOpenDecision, isWaitingTask } from "../../graph/lifecycle.ts"
import { isReplaced, standingOf } from "../../graph/mem-standing.ts"
import type { GraphState } from "../../graph/state.ts"
import { memsOnGoneDocuments } from "../../project/document/gone-documents.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { element } from "../../shared/text/element.ts"
import { type Block, fitBlock } from "./block.ts"
import { type Item, type ItemFacts, type ItemRef, keyOf, refOf } from "./item.ts"
import { gatherItems, type PackOptions } from "./pack.ts"

/** What the model has read about one thing. */
export interface Known extends ItemRef, Pick<ItemFacts, "identity"> {
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
  known: ReadonlyMap<string, Known>,
  options: PackOptions & { budget: number },
): Delta {
  const { items } = gatherItems(state, head, options)
  const changes = [...items].filter(([key, item]) => known.get(key)?.hash !== hashOf(item.render(0)))
  const changed = changes.map(([, item]) => item)
  const { implied, retracted } = findGone(state, known, items, changed, options)
  if (changed.length + implied.length + retracted.length === 0)
    return { xml: "", items: [], dropped: [], tokens: 0, gone: [] }
  const was = [...retracted, ...replaced(changes, known)].map((each) => wasItem(state, each))
  const frame = { tag: "hivemind_delta", attributes: {}, more: options.more }
  const block = fitBlock(frame, [...changed, ...was], [], options.budget)
  const said = new Set(block.items.filter(({ section }) => section === "was").map(keyOf))
  return {
    ...block,
    items: block.items.filter(({ section }) => section !== "was"),
    gone: [...retracted.filter((each) => said.has(keyOf(each))), ...implied].map(refOf),
  }
}

/**
 * What the model knows and the block would no longer say because it is not so any more. `implied` is what the changed
 * items say already, `retracted` what has to be taken back.
 */
function findGone(
  state: GraphState,
  known: ReadonlyMap<string, Known>,
  items: ReadonlyMap<string, Item>,
  changed: readonly Item[],
  { archived = () => undefined }: Pick<PackOptions, "archived">,
): { implied: Known[]; retracted: Known[] } {
  const changedTasks = new Set(changed.filter(({ kind }) => kind === "task").map(({ id }) => id))
  // A task in another role replaces the old one; what a task waits for is off the table with the task.
  const isImplied = ({ kind, id }: Known) =>
    (kind === "task" && changedTasks.has(id)) ||
    (kind === "wait" && !items.has(keyOf({ kind: "task", id, role: "task" })))
  const hidden = [...known].filter(([key]) => !items.has(key)).map(([, each]) => each)
  const misled = new Set(Array.from(memsOnGoneDocuments(state), ({ id }) => id))
  return {
    implied: hidden.filter(isImplied),
    retracted: hidden.filter(
      (each) => !isImplied(each) && (misled.has(each.id) || !isStillTrue(state, each, archived)),
    ),
  }
}

/**
 * Lists in the block are bounded, so a mem, an anchor or a task that is not in them now may only have been outranked.
 * That is no news; what it says is still true.
 */
function isStillTrue(
  state: GraphState,
  { kind, id, role }: Known,
  archived: (id: string) => Mem | undefined,
): boolean {
  // What happened has happened, also where other turns have become more telling.
  if (kind === "turn") return true
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
  if (kind === "task" && role === "failed") return state.task.get(id)?.status === "failed"
  return kind === "task" && role === "next" && isWaitingTask(state.task.get(id))
}

/** What is shown in another role now, such as a mem that turned out to be a false path: as what it was it is gone. */
function replaced(changes: readonly [string, Item][], known: ReadonlyMap<string, Known>): Known[] {
  return changes.flatMap(([key, item]) => {
    const before = known.get(key)
    return before === undefined || before.role === item.role ? [] : [before]
  })
}

function wasItem(state: GraphState, known: Known): Item {
  const { kind, id, role, identity } = known
  const end = kind === "conflict" ? "settled" : "gone"
  const status = kind === "task" ? (state.task.get(id)?.status ?? end) : end
  const text = element("was", { what: role, ...identity, status })
  return {
    ...refOf(known),
    identity,
    section: "was",
    worth: 860,
    reason: "no longer so",
    levels: 1,
    render: () => text,
  }
}

export function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("base64url").slice(0, 10)
}
