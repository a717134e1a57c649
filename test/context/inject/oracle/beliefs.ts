/** What the model was told of one thing, last: its element's name, attributes and text. */
export interface Told {
  as: string
  attributes: Attributes
  text: string
}

type Attributes = Readonly<Partial<Record<Name, string>>>
type Name =
  | "what"
  | "id"
  | "key"
  | "task"
  | "on"
  | "plan"
  | "phase"
  | "status"
  | "progress"
  | "stale"
  | "unverified"
  | "waits_for"
  | "needs_decision"

/** By what it is about: `task 1a2b3c4d`, `anchor DB`, `head`, `wait <task> <on> gate`, `reminder`. */
export type Beliefs = Map<string, Told>

/** What whoever reads these parts in order believes in the end. A whole state replaces all before it. */
export function beliefsFrom(parts: readonly string[]): Beliefs {
  const beliefs: Beliefs = new Map()
  for (const part of parts) {
    if (part.startsWith("<before_you_stop>"))
      beliefs.set("reminder", { as: "reminder", attributes: {}, text: part })
    if (part.startsWith("<hivemind_state"))
      for (const key of beliefs.keys()) if (key !== "reminder") beliefs.delete(key)
    if (/^<hivemind_(state|delta)/.test(part)) for (const line of part.split("\n")) readLine(beliefs, line)
  }
  return beliefs
}

function readLine(beliefs: Beliefs, line: string): void {
  const tag = /^<(\w+)/.exec(line)?.[1] ?? ""
  const opening = /^<[^>]*>/.exec(line)?.[0] ?? ""
  const attributes: Attributes = Object.fromEntries(
    [...opening.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  )
  const what = tag === "was" ? (attributes.what ?? "task") : tag
  const kind = KINDS[what]
  if (kind === undefined) return
  const told = { as: tag, attributes, text: line.replaceAll(/<[^>]*>/g, "") }
  if (kind === "wait") {
    const key = `wait ${attributes.task} ${attributes.on} ${what}`
    if (tag === "was") beliefs.delete(key)
    else beliefs.set(key, told)
    return
  }
  const key = kind === "head" ? kind : `${kind} ${attributes.key ?? attributes.id}`
  if (tag === "was" && !LASTING.has(kind)) {
    // As what it was it is gone. The same message may have said what it is now.
    if (beliefs.get(key)?.as === what) beliefs.delete(key)
  } else beliefs.set(key, told)
  // What is not at hand says itself what it waits for.
  if (kind === "task" && tag !== "task")
    for (const each of beliefs.keys()) if (each.startsWith(`wait ${attributes.id} `)) beliefs.delete(each)
}

const KINDS: Readonly<Record<string, string>> = {
  head: "head",
  plan: "plan",
  phase: "phase",
  task: "task",
  parent: "task",
  subtask: "task",
  next: "task",
  failed: "task",
  depends: "wait",
  gate: "wait",
  mem: "mem",
  avoid: "mem",
  decision: "mem",
  anchor: "anchor",
  delegation: "delegation",
}
// Of these, `was` says what they are now. Of all else it says that it no longer holds.
const LASTING = new Set(["plan", "phase", "task"])
