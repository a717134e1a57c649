import { readFile, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { inboxIdOf } from "../../graph/inbox.ts"
import { derivedId, type Source } from "../../shared/ids.ts"
import { cutAt, lineFrom, madeOf, objectFrom, tagsFrom, textFrom, timeOf } from "../fields.ts"
import type { Found } from "../found.ts"
import { circularParents, orderWork } from "./order.ts"
import { headTaken, planTaken } from "./records.ts"
import { DONE, type Entry, entriesOf, KNOWN, OVER, rankOf, standing, textOf } from "./task-master-task.ts"
import { knownTime, takeWork } from "./work-item.ts"

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
  if (entries.size + faults.length === 0) {
    yield { from: `${name} (${tag})`, ignore: "an empty tag" }
    return
  }
  const times = [...entries.values()].flatMap(({ fields }) => textFrom(fields["updatedAt"]) ?? [])
  // A tag may get its date when it is first written again, behind those of its tasks.
  const created = [textFrom(meta["created"]), ...times].map((time) => timeOf(time, mtime)).sort()[0] ?? mtime
  const made = madeOf({ created, updated: meta["updated"] ?? meta["lastModified"] }, now)
  const changed = knownTime(meta["updated"] ?? meta["lastModified"])
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
        title: textFrom(entry.fields["title"]) ?? "",
        text: textOf(entry, key, tag, [...left], missing),
        notes: [],
        tags: [tag, ...tagsFrom(entry.fields["tags"])],
        plan,
        phase: inboxIdOf(plan),
        parent: entry.parent === null ? null : idOf(entry.parent),
        created: created < timeOf(entry.fields["createdAt"], created) ? entry.fields["createdAt"] : created,
        updated: entry.fields["updatedAt"],
        task: {
          ...standing(entry, isWaiting, changed),
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
const MAX_TITLE = 480
const MAX_BYTES = 100_000_000
const MAX_KEPT_CHARS = 20_000
