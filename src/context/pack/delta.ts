import { createHash } from "node:crypto"
import { isAnchorKept, isMemInForce, isWaitingTask } from "../../graph/lifecycle.ts"
import { isStale } from "../../graph/staleness.ts"
import type { GraphState } from "../../graph/state.ts"
import { memsOnGoneDocuments } from "../../project/document/gone-documents.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Item } from "./item.ts"
import { candidates, fitBlock, type Packed, type PackOptions } from "./pack.ts"

/** What the model has been told about one thing. */
export interface Known {
  /** Of its fullest wording. */
  hash: string
  /** Name and naming attributes of its element, such as `mem id="0a1b2c3d"`. */
  ref: string
}

export interface Delta extends Packed {
  /** Keys that are no longer true. */
  gone: string[]
}

/** Only what changed against what the model knows. `xml` is "" where nothing did. */
export function packDelta(
  state: GraphState,
  head: Trajectory | undefined,
  known: ReadonlyMap<string, Known>,
  options: PackOptions & { budget: number },
): Delta {
  const { items } = candidates(state, head, options)
  const changed = items.filter((item) => known.get(item.key)?.hash !== hashOf(item.render(0)))
  const shown = new Set(items.map(({ key }) => key))
  const news = new Set(changed.map(({ key }) => key))
  const misled = new Set(Array.from(memsOnGoneDocuments(state), ({ id }) => `mem ${id}`))
  const isTrue = (key: string) => !misled.has(key) && isStillTrue(state, key, options.now)
  const gone = [...known].filter(([key]) => !shown.has(key) && (isImplied(key, news, shown) || !isTrue(key)))
  if (changed.length === 0 && gone.length === 0)
    return { xml: "", items: [], dropped: [], tokens: 0, gone: [] }
  const was = [
    ...gone.filter(([key]) => !isImplied(key, news, shown)).map(([key, { ref }]) => wasItem(state, key, ref)),
    ...changed.flatMap((item) => renamed(state, item, known.get(item.key)?.ref)),
  ]
  const packed = fitBlock("hivemind_delta", {}, [...changed, ...was], [], options.budget, options.more)
  const told = new Set(packed.items.map(({ key }) => key))
  return {
    ...packed,
    items: packed.items.filter(({ section }) => section !== "was"),
    gone: gone.map(([key]) => key).filter((key) => told.has(`was ${key}`) || isImplied(key, news, shown)),
  }
}

/** True if other lines of this delta say it already: the task shows up in another role, or what waited for it is off the table. */
function isImplied(key: string, news: ReadonlySet<string>, shown: ReadonlySet<string>): boolean {
  const [kind, id] = key.split(" ")
  if (kind === "depends" || kind === "gate") return !shown.has(`task ${id} task`)
  return kind === "task" && [...news].some((other) => other.startsWith(`task ${id} `))
}

export function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("base64url").slice(0, 10)
}

/** The name and naming attributes of an element. */
export function refOf(text: string): string {
  const tag = /^<(\w+)/.exec(text)?.[1] ?? ""
  const naming = [...text.matchAll(/ (id|key|task|on)="([^"]*)"/g)].slice(
    0,
    tag === "depends" || tag === "gate" ? 2 : 1,
  )
  return [tag, ...naming.map(([, name, value]) => `${name}="${value}"`)].join(" ")
}

/**
 * Lists in the block are bounded, so a mem, an anchor or a task that is not in them now may only have been outranked.
 * That is no news; what it says is still true.
 */
function isStillTrue(state: GraphState, key: string, now: number): boolean {
  const [kind, id = "", role] = key.split(" ")
  // What happened has happened, also where other turns have become more telling.
  if (kind === "turn") return true
  if (kind === "anchor") return isAnchorKept(state.anchor.get(id))
  if (kind === "mem") {
    const mem = state.mem.get(id)
    if (mem === undefined || !isMemInForce(mem)) return false
    const origin = mem.origin_task_id === null ? undefined : state.task.get(mem.origin_task_id)
    return (
      mem.kind === "false_path" ||
      (origin?.status !== "invalidated" && !isStale(mem, state, new Date(now).toISOString()))
    )
  }
  return kind === "task" && role === "next" && isWaitingTask(state.task.get(id))
}

/** Something that is now said in another way, such as a mem that became a warning: its old name must not stand. */
function renamed(state: GraphState, item: Item, ref: string | undefined): Item[] {
  const tag = /^\w+/.exec(ref ?? "")?.[0]
  return ref === undefined || item.render(0).startsWith(`<${tag} `) ? [] : [wasItem(state, item.key, ref)]
}

function wasItem(state: GraphState, key: string, ref: string): Item {
  const [kind, id = ""] = key.split(" ")
  const status = kind === "task" ? (state.task.get(id)?.status ?? "gone") : "gone"
  const text = `<was ${ref.replace(/^\w+/, (tag) => `what="${tag}"`)} status="${status}"/>`
  return {
    key: `was ${key}`,
    section: "was",
    worth: 860,
    reason: "no longer so",
    levels: 1,
    render: () => text,
  }
}
