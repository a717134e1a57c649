import { readFile, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { inboxIdOf } from "../../graph/inbox.ts"
import { derivedId, type Source } from "../../shared/ids.ts"
import { parseJson } from "../../store/files/json-lines.ts"
import { circularParents, freeNames } from "../records/dependency-order.ts"
import {
  cutAt,
  type Fields,
  lineFrom,
  madeOf,
  objectFrom,
  tagsFrom,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { readSource } from "../records/json-items.ts"
import { planRecords, projectHead } from "../records/new-records.ts"
import type { SourceRecord } from "../records/report.ts"
import {
  factLine,
  knownTime,
  MAX_TITLE,
  otherFields,
  rankBy,
  section,
  type WorkItem,
  type WorkState,
  workRecords,
} from "./work-items.ts"

/** Reads `tasks.json`: each tag becomes a plan. `project` is part of ids, because projects use the same task numbers. */
export async function* readTaskMaster(
  path: string,
  source: Source,
  project: string,
): AsyncGenerator<SourceRecord> {
  const name = basename(path)
  const now = new Date(source.now()).toISOString()
  const text = await readSource({ path, name }, MAX_BYTES)
  if (typeof text !== "string") {
    yield text
    return
  }
  const { mtime } = await stat(path)
  const file = objectFrom(parseJson(text))
  if (file === undefined) {
    yield { from: name, quarantine: "not a JSON object with tags", original: cutAt(text, MAX_KEPT_CHARS) }
    return
  }
  const current = await currentTag(path)
  const tags = Array.isArray(file["tasks"]) ? { [FIRST_TAG]: file } : file
  for (const [tag, value] of Object.entries(tags)) {
    const content = objectFrom(value)
    const tasks = content?.["tasks"]
    if (content === undefined || !Array.isArray(tasks))
      yield { from: `${name} (${tag})`, quarantine: "a tag without tasks", original: value ?? null }
    else {
      const isCurrent = tag === current
      yield* readTag({ name, project, tag, content, tasks, isCurrent, mtime: mtime.toISOString(), now })
    }
  }
}

interface Tag {
  name: string
  project: string
  tag: string
  content: Fields
  tasks: unknown[]
  isCurrent: boolean
  mtime: string
  now: string
}

function* readTag(given: Tag): Generator<SourceRecord> {
  const { name, project, tag, content, isCurrent, mtime, now } = given
  const { entries, faults } = entriesOf(given)
  if (entries.size + faults.length === 0) {
    yield { from: `${name} (${tag})`, ignore: "an empty tag" }
    return
  }
  const all = [...entries.values()]
  const meta = objectFrom(content["metadata"]) ?? {}
  const changed = meta["updated"] ?? meta["lastModified"]
  // A tag may be dated later than its tasks, so the earliest date of all is used.
  const times = [textIn(meta, "created"), ...all.flatMap(({ fields }) => textIn(fields, "updatedAt") ?? [])]
  const created = times.map((time) => timeOf(time, mtime)).sort()[0] ?? mtime
  const made = madeOf({ created, updated: changed }, now)
  const plan = derivedId("task-master", project, tag)
  const isOver =
    all.length > 0 && !isCurrent && all.every(({ state }) => state === "done" || state === "dropped")
  const ended = isOver ? { status: "archived" as const, completed_at: made.updated_at } : {}
  const description = textIn(meta, "description")
  const { line: title } = lineFrom(description === undefined ? tag : `${tag}: ${description}`, MAX_TITLE)
  const head = isCurrent ? [projectHead(plan, madeOf({ created: now }, now))] : []
  const records = [...planRecords({ id: plan, title, ...ended, ...made }), ...head]
  yield { from: `${name} (${tag})`, records }
  yield* faults
  const items = new Map(
    [...entries].map(([key, entry], place) => [
      key,
      workItem(key, entry, given, { plan, created, changed, place }),
    ]),
  )
  yield* workRecords({ id: "task-master", name: "task-master" }, items, now)
}

interface Entry {
  fields: Fields
  isSecond: boolean
  parent: string | null
  waitsFor: string[]
  state: WorkState | undefined
}

function workItem(
  key: string,
  { fields, isSecond, parent, waitsFor, state }: Entry,
  { name, project, tag }: Tag,
  { plan, created, changed, place }: { plan: string; created: string; changed: unknown; place: number },
): WorkItem {
  const own = textIn(fields, "createdAt")
  const at = knownTime(fields["updatedAt"]) ?? knownTime(changed)
  return {
    from: `${name} (${tag} ${key})`,
    id: derivedId("task-master", project, tag, key),
    ...{ name: `task ${key}`, title: textIn(fields, "title") ?? "", notes: [] },
    text: [
      textIn(fields, "description"),
      section("Details", fields["details"]),
      // Kept as text, because HiveMind would run a `verify` as a command.
      section("How it is tested", fields["testStrategy"]),
      section("Acceptance criteria", fields["acceptanceCriteria"]),
    ],
    facts: [
      factLine(`Task ${key} of the tag ${tag} in task-master`, fields, FACTS),
      ...otherFields(fields, KNOWN_FIELDS),
    ],
    tags: [tag, ...tagsFrom(fields["tags"])],
    ...{ plan, phase: inboxIdOf(plan), parent, waitsFor },
    ...{ state, stateWord: textIn(fields, "status") ?? "", started: state === "done" ? null : at, ended: at },
    ...{ created: created < timeOf(own, created) ? own : created, updated: fields["updatedAt"] },
    task: { rank: rankBy(created, PRIORITIES[textIn(fields, "priority")?.toLowerCase() ?? ""] ?? 0, place) },
    changes: [isSecond && "two tasks have the same id: both were imported"],
  }
}

function entriesOf({ tasks, name, tag }: Tag): { entries: Map<string, Entry>; faults: SourceRecord[] } {
  const entries = new Map<string, Entry>()
  const faults: SourceRecord[] = []
  const free = freeNames()
  const listed = (values: readonly unknown[], parent: string | null) => {
    const siblings = new Set(values.flatMap((each) => textIn(objectFrom(each), "id") ?? []))
    return values.map((value, index) => ({ value, parent, siblings, number: index + 1 })).reverse()
  }
  const open = listed(tasks, null)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, parent, siblings, number } = next
    const fields = objectFrom(value)
    const id = textIn(fields, "id")
    const above = parent === null ? "" : `${parent}.`
    const given = id === undefined || id.startsWith(above) ? id : `${above}${id}`
    const key = given === undefined ? undefined : free(given)
    const from = `${name} (${tag} ${key ?? `${above}#${number}`})`
    if (fields === undefined) faults.push({ from, quarantine: "not an object", original: value ?? null })
    else if (key === undefined) faults.push({ from, quarantine: "a task without an id", original: fields })
    else {
      // A subtask that depends on a number without a dot means its sibling, if there is one with that number.
      const names = [fields["dependencies"] ?? []].flat().flatMap((each) => textFrom(each) ?? [])
      const waits = names.map((each) => (parent !== null && siblings.has(each) ? `${parent}.${each}` : each))
      const state = STATES.get(textIn(fields, "status")?.toLowerCase() ?? "")
      entries.set(key, { fields, parent, state, isSecond: key !== given, waitsFor: [...new Set(waits)] })
      open.push(...listed(Array.isArray(fields["subtasks"]) ? fields["subtasks"] : [], key))
    }
  }
  for (const key of circularParents(entries)) (entries.get(key) as Entry).parent = null
  return { entries, faults }
}

/** The current tag. `state.json` is in the parent of the tasks' folder. */
async function currentTag(path: string): Promise<string> {
  const text = await readFile(join(dirname(dirname(path)), "state.json"), "utf8").catch(() => "")
  return textIn(parseJson(text), "currentTag") ?? FIRST_TAG
}

const FIRST_TAG = "master"
const PRIORITIES: Readonly<Record<string, number>> = { critical: -2, high: -1, low: 1 }
const STATES: ReadonlyMap<string, WorkState> = new Map(
  Object.entries({
    ...{ done: "done", completed: "done", cancelled: "dropped", pending: "planned" },
    ...{ "in-progress": "active", review: "review", deferred: "deferred", blocked: "blocked" },
  }),
)
const FACTS = { priority: "priority", assignee: "assigned to", complexity: "complexity" }
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...["id", "title", "description", "details", "testStrategy", "acceptanceCriteria", "status", "tags"],
  ...["previousStatus", "dependencies", "priority", "subtasks", "parentTaskId", "parentTask", "parentId"],
  ...["isSubtask", "createdAt", "updatedAt", "complexity", "assignee"],
])
const MAX_BYTES = 100 << 20
const MAX_KEPT_CHARS = 20_000
