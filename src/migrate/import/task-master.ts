import { readFile, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { inboxIdOf } from "../../graph/inbox.ts"
import type { Task } from "../../schemas/task.ts"
import { derivedId, type Source } from "../../shared/ids.ts"
import { cutAt, lineFrom, madeOf, objectFrom, tagsFrom, textFrom, timeOf } from "../fields.ts"
import type { Found } from "../found.ts"
import { circularParents, freeNames, type Node, orderWork } from "./order.ts"
import { headTaken, planTaken } from "./records.ts"
import { rankBy, takeWork } from "./work-item.ts"

type Fields = Record<string, unknown>

/**
 * The tasks of task-master: one JSON file, in which each tag has its own list; an old file has one list only. A tag
 * becomes a plan. `home` tells the files of two projects apart: their tasks have the same numbers.
 */
export async function* readTaskMaster(path: string, source: Source, home: string): AsyncGenerator<Found> {
  const name = basename(path)
  const now = new Date(source.now()).toISOString()
  const { size, mtime } = await stat(path)
  if (size > MAX_BYTES) {
    yield { from: name, quarantine: "too large to be a file of tasks", original: { bytes: size } }
    return
  }
  let parsed: unknown
  const text = await readFile(path, "utf8")
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ""))
  } catch {
    yield { from: name, quarantine: "not valid JSON", original: cutAt(text, MAX_KEPT_CHARS) }
    return
  }
  const file = objectFrom(parsed)
  if (file === undefined) {
    yield { from: name, quarantine: "not an object with tags", original: cutAt(text, MAX_KEPT_CHARS) }
    return
  }
  const current = await currentTag(path)
  const tags = Array.isArray(file["tasks"]) ? { [FIRST_TAG]: file } : file
  for (const [tag, value] of Object.entries(tags)) {
    const content = objectFrom(value)
    if (content === undefined || !Array.isArray(content["tasks"]))
      yield { from: `${name} (${tag})`, quarantine: "a tag without tasks", original: value ?? null }
    else
      yield* readTag({
        name,
        home,
        tag,
        content,
        isCurrent: tag === current,
        mtime: mtime.toISOString(),
        now,
      })
  }
}

interface Tag {
  name: string
  home: string
  tag: string
  content: Fields
  isCurrent: boolean
  mtime: string
  now: string
}

function* readTag({ name, home, tag, content, isCurrent, mtime, now }: Tag): Generator<Found> {
  const meta = objectFrom(content["metadata"]) ?? {}
  const { entries, faults } = entriesOf(content["tasks"] as unknown[], `${name} (${tag}`)
  const times = [...entries.values()].flatMap(({ fields }) => textFrom(fields["updatedAt"]) ?? [])
  // A tag may get its date when it is first written again, behind those of its tasks.
  const created = [textFrom(meta["created"]), ...times].map((time) => timeOf(time, mtime)).sort()[0] ?? mtime
  const made = madeOf({ created, updated: meta["updated"] ?? meta["lastModified"] }, now)
  const plan = derivedId("task-master", home, tag)
  const isOver =
    entries.size > 0 && !isCurrent && [...entries.values()].every(({ status }) => OVER.has(status ?? ""))
  const description = textFrom(meta["description"])
  const { line: title } = lineFrom(description === undefined ? tag : `${tag}: ${description}`, MAX_TITLE)
  const ended = isOver ? { status: "archived" as const, completed_at: made.updated_at } : {}
  const head = isCurrent ? [headTaken(plan, now)] : []
  yield { from: `${name} (${tag})`, take: [...planTaken({ id: plan, title, ...ended, ...made }), ...head] }
  yield* faults

  const idOf = (key: string) => derivedId("task-master", home, tag, key)
  const alone = circularParents(entries)
  for (const key of alone) entries.set(key, { ...(entries.get(key) as Entry), parent: null })
  const { order, notWaitedFor } = orderWork(entries)
  const places = new Map([...entries.keys()].map((key, index) => [key, index]))
  for (const key of order) {
    const entry = entries.get(key)
    if (entry === undefined) continue
    const left = notWaitedFor.get(key) ?? new Set()
    const waits = entry.waitsFor.filter((other) => entries.has(other) && !left.has(other))
    const isWaiting = waits.some((other) => !DONE.has(entries.get(other)?.status ?? ""))
    const missing = entry.waitsFor.filter((other) => !entries.has(other))
    const at = { created: made.created_at, index: places.get(key) ?? 0 }
    const { take, changes } = takeWork(
      "task-master",
      {
        id: idOf(key),
        name: `task ${key}`,
        title: textFrom(entry.fields["title"]) ?? `Task ${key}`,
        text: textOf(entry, key, tag, [...left], missing),
        notes: [],
        tags: [tag, ...tagsFrom(entry.fields["tags"])],
        plan,
        phase: inboxIdOf(plan),
        parent: entry.parent === null ? null : idOf(entry.parent),
        created: created < timeOf(entry.fields["createdAt"], created) ? entry.fields["createdAt"] : created,
        updated: entry.fields["updatedAt"],
        task: {
          ...standing(entry, isWaiting, made.created_at),
          depends_on: waits.map(idOf),
          rank: rankOf(entry.fields, at),
        },
      },
      now,
    )
    const notes = [
      ...changes,
      ...(entry.isSecond ? ["another task has its id: taken beside that"] : []),
      ...(left.size === 0
        ? []
        : ["dependencies ran in a circle: one was left out, and stands in the task's text"]),
      ...(missing.length === 0 ? [] : ["a dependency on a task that is not there stands in the text"]),
      ...(KNOWN.has(entry.status ?? "")
        ? []
        : [`the status "${entry.status ?? ""}" is not known: taken as not begun`]),
    ]
    yield { from: `${name} (${tag} ${key})`, take, ...(notes.length === 0 ? {} : { note: notes.join("; ") }) }
  }
}

interface Entry extends Node {
  fields: Fields
  /** Another one has its number. */
  isSecond: boolean
  status: string | undefined
}

/** Tasks and their subtasks by number: `2`, `2.1`. */
function entriesOf(
  tasks: readonly unknown[],
  place: string,
): { entries: Map<string, Entry>; faults: Found[] } {
  const entries = new Map<string, Entry>()
  const faults: Found[] = []
  const free = freeNames()
  const listed = (values: readonly unknown[], parent: string | null) => {
    const siblings = new Set(values.flatMap((each) => textFrom(objectFrom(each)?.["id"]) ?? []))
    return values.map((value, index) => ({ value, parent, siblings, number: index + 1 })).reverse()
  }
  const open = listed(tasks, null)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, parent, siblings, number } = next
    const fields = objectFrom(value)
    const id = textFrom(fields?.["id"])
    const above = parent === null ? "" : `${parent}.`
    const given = id === undefined || id.startsWith(above) ? id : `${above}${id}`
    const key = given === undefined ? undefined : free(given)
    const from = `${place} ${key ?? `${above}#${number}`})`
    if (fields === undefined) faults.push({ from, quarantine: "not an object", original: value ?? null })
    else if (key === undefined) faults.push({ from, quarantine: "a task without an id", original: fields })
    else {
      const status = textFrom(fields["status"])?.toLowerCase()
      entries.set(key, {
        fields,
        status,
        parent,
        isSecond: key !== given,
        waitsFor: waitsOf(fields, parent, siblings),
      })
      open.push(...listed(Array.isArray(fields["subtasks"]) ? fields["subtasks"] : [], key))
    }
  }
  return { entries, faults }
}

/** In a subtask, a number without a dot is that of a sibling, where there is one. */
function waitsOf(fields: Fields, parent: string | null, siblings: ReadonlySet<string>): string[] {
  const given = Array.isArray(fields["dependencies"]) ? fields["dependencies"] : []
  const names = given.flatMap((each) => textFrom(each) ?? [])
  return [
    ...new Set(names.map((name) => (parent !== null && siblings.has(name) ? `${parent}.${name}` : name))),
  ]
}

function textOf(
  { fields }: Entry,
  key: string,
  tag: string,
  left: readonly string[],
  missing: readonly string[],
): (string | undefined)[] {
  const named = (name: string, field: string) => {
    const value = fields[field]
    const text = Array.isArray(value) ? value.map((each) => `- ${String(each)}`).join("\n") : textFrom(value)
    return text === undefined || text === "" ? undefined : `${name}:\n${text}`
  }
  const say = (words: string, field: string) => {
    const value = textFrom(fields[field])
    return value === undefined ? [] : [`${words} ${value}`]
  }
  const others = Object.entries(fields).filter(([name, value]) => !KNOWN_FIELDS.has(name) && !isEmpty(value))
  const facts = [
    `Task ${key} of the tag ${tag} in task-master`,
    ...say("priority", "priority"),
    ...say("assigned to", "assignee"),
  ]
  return [
    textFrom(fields["description"]),
    named("Details", "details"),
    // Words, not a command: what stands in a task's `verify` is run.
    named("How it is tested", "testStrategy"),
    named("Acceptance criteria", "acceptanceCriteria"),
    [
      `${[...facts, ...say("complexity", "complexity")].join("; ")}.`,
      ...left.map(
        (other) => `waits for task ${other} (in words only: they waited for each other in a circle)`,
      ),
      ...missing.map((other) => `waits for task ${other} (in words only: there is no such task)`),
      ...(others.length === 0 ? [] : [`Also: ${JSON.stringify(Object.fromEntries(others))}`]),
    ].join("\n"),
  ]
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0)
}

type Standing = Partial<Pick<Task, "status" | "held_back" | "reason" | "started_at" | "completed_at">>

function standing({ fields, status }: Entry, isWaiting: boolean, created: string): Standing {
  const at = timeOf(fields["updatedAt"], created)
  if (DONE.has(status ?? "")) return { status: "completed", completed_at: at }
  if (status === "cancelled") return { status: "invalidated", reason: "Cancelled in task-master." }
  if (status === "in-progress") return { status: "active", started_at: at }
  if (status === "review") return { status: "review", started_at: at }
  if (status === "deferred") return { status: "blocked", held_back: "Deferred in task-master." }
  if (status === "blocked" && !isWaiting) return { status: "blocked", held_back: "Blocked in task-master." }
  return { status: isWaiting ? "blocked" : "planned" }
}

/** By importance, then as they stand in the file: they have no time of their own. */
function rankOf(fields: Fields, { created, index }: { created: string; index: number }): number {
  const steps = PRIORITIES[textFrom(fields["priority"])?.toLowerCase() ?? ""] ?? 0
  return (rankBy(created, steps) ?? Date.parse(created)) + index
}

/** The tag that is worked on; `state.json` lies beside the folder of the tasks. */
async function currentTag(path: string): Promise<string> {
  try {
    const text = await readFile(join(dirname(dirname(path)), "state.json"), "utf8")
    return textFrom(objectFrom(JSON.parse(text))?.["currentTag"]) ?? FIRST_TAG
  } catch {
    return FIRST_TAG // An old project has none.
  }
}

const FIRST_TAG = "master"
const PRIORITIES: Readonly<Record<string, number>> = { critical: -2, high: -1, low: 1 }
const DONE: ReadonlySet<string> = new Set(["done", "completed"])
const OVER: ReadonlySet<string> = new Set([...DONE, "cancelled"])
const KNOWN: ReadonlySet<string> = new Set([
  ...OVER,
  "pending",
  "in-progress",
  "review",
  "deferred",
  "blocked",
])
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ..."id title description details testStrategy acceptanceCriteria status previousStatus dependencies priority".split(
    " ",
  ),
  ..."subtasks parentTaskId parentTask parentId isSubtask createdAt updatedAt complexity assignee tags".split(
    " ",
  ),
])
const MAX_TITLE = 480
const MAX_BYTES = 100_000_000
const MAX_KEPT_CHARS = 20_000
