/** The last that the model was told of one thing: its element's name, attributes and text. */
export interface Told {
  as: string
  /** The element that last said what it is: `was` may say only what has become of it. */
  describedAs: string
  attributes: Attributes
  text: string
}

type Attributes = Readonly<Record<string, string>>

/** By what it is about: `task 1a2b3c4d`, `anchor DB`, `head`, `wait <task> <on> gate`, `turn 1a2b3c4d decision`, `reminder`. */
export type Beliefs = Map<string, Told>

/** The reader's beliefs after reading these parts in order. A whole state replaces all before it. */
export function beliefsFrom(parts: readonly string[]): Beliefs {
  const beliefs: Beliefs = new Map()
  for (const part of parts) {
    if (part.startsWith("<before_you_stop>"))
      beliefs.set("reminder", { as: "reminder", describedAs: "reminder", attributes: {}, text: part })
    if (part.startsWith("<hivemind_state"))
      for (const key of beliefs.keys()) if (key !== "reminder") beliefs.delete(key)
    if (/^<hivemind_(state|delta)/.test(part)) for (const line of part.split("\n")) readLine(beliefs, line)
  }
  return beliefs
}

function readLine(beliefs: Beliefs, line: string): void {
  const told = parseLine(line)
  const { as: tag, describedAs: what, attributes } = told
  const kind = KINDS[what]
  if (kind === undefined) return
  if (kind === "wait") {
    const key = `wait ${attributes["task"]} ${attributes["on"]} ${what}`
    if (tag === "was") beliefs.delete(key)
    else beliefs.set(key, told)
    return
  }
  const key = keyFor(kind, attributes)
  if (tag === "was" && !LASTING.has(kind)) {
    // It is gone in its old role; the same message may have shown it in a new one.
    if (beliefs.get(key)?.as === what) beliefs.delete(key)
  } else beliefs.set(key, tag === "was" ? withDescription(told, beliefs.get(key)) : told)
  // A task that is not at hand lists its dependencies itself.
  if (kind === "task" && tag !== "task")
    for (const each of beliefs.keys()) if (each.startsWith(`wait ${attributes["id"]} `)) beliefs.delete(each)
}

function parseLine(line: string): Told {
  const known = parsed.get(line)
  if (known !== undefined) return known
  const as = /^<(\w+)/.exec(line)?.[1] ?? ""
  const opening = /^<[^>]*>/.exec(line)?.[0] ?? ""
  const attributes: Attributes = Object.fromEntries(
    [...opening.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, unescapeXml(value)]),
  )
  const describedAs = as === "was" ? (attributes["what"] ?? "task") : as
  const told = { as, describedAs, attributes, text: unescapeXml(line.replaceAll(/<[^>]*>/g, "")) }
  parsed.set(line, told)
  return told
}

const parsed = new Map<string, Told>()

function keyFor(kind: string, { key, id, kind: sort }: Attributes): string {
  if (kind === "head") return kind
  return kind === "turn" ? `turn ${id} ${sort}` : `${kind} ${key ?? id}`
}

/** A `was` without words keeps the earlier description, without its status and dependencies. */
function withDescription(told: Told, before: Told | undefined): Told {
  if (told.text !== "" || before === undefined) return told
  const { status, waits_for, needs_decision, ...described } = before.attributes
  return {
    ...told,
    describedAs: before.describedAs,
    attributes: { ...described, ...told.attributes },
    text: before.text,
  }
}

function unescapeXml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
}

const KINDS: Readonly<Record<string, string>> = {
  head: "head",
  plan: "plan",
  open_plan: "plan",
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
  conflict: "conflict",
  turn: "turn",
  warning: "warning",
}
// For these kinds `was` has the present status; anything else no longer holds.
const LASTING = new Set(["plan", "phase", "task"])
