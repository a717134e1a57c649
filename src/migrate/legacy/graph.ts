import { isAbsolute, relative } from "node:path"
import { inboxIdOf } from "../../graph/inbox.ts"
import {
  type Fields,
  lineFrom,
  listFrom,
  type Made,
  madeOf,
  objectFrom,
  piecesOf,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import { phaseRecord, planRecords, taskRecord } from "../records/new-records.ts"
import type { SourceRecord } from "../records/report.ts"
import {
  type Context,
  type LegacyFile,
  type LegacyReader,
  type Level,
  legacyId,
  listReader,
  nextRank,
  readStatus,
  rememberTitle,
  saltFor,
  titleKey,
} from "./context.ts"
import { memFound } from "./knowledge.ts"

export const readPlans = recordReader("plan", "plans", ({ from, fields, old, words, id }, file, context) => {
  const { line: title, whole } = lineFrom(words)
  const made = madeIn(fields, file.at)
  const { status, note } = readStatus("plan", fields["status"])
  if (!context.plans.has(old)) context.plans.set(old, id)
  rememberTitle(context, "plan", words, id)
  const records = planRecords({
    ...{ id, title, ...made, status, acceptance: listFrom(fields["acceptance"]) },
    summary: whole === undefined ? (textIn(fields, "summary") ?? null) : piecesOf(whole)[0],
    completed_at: status === "completed" || status === "archived" ? made.updated_at : null,
  })
  return { from, records, note }
})

/** Reads `graph/phases.json`, which only some projects have. */
export const readPhases = recordReader(
  "phase",
  "phases",
  ({ from, fields, old, words, id }, file, context) => {
    const { plan, records } = planFor(context, textIn(fields, "parent_plan_id", "plan_id"), file.at)
    const order = [...context.phases.values()].filter((each) => each.plan === plan).length + 1
    if (!context.phases.has(old)) context.phases.set(old, { plan, phase: id })
    const { status, note } = readStatus("phase", fields["status"])
    const title = lineFrom(words).line
    const record = phaseRecord({ id, parent_plan_id: plan, title, order, status, ...madeIn(fields, file.at) })
    return { from, records: [...records, record], note }
  },
)

export const readTasks = recordReader("task", "tasks", taskFound)

/** Reads `graph/orphans.json`, where layout G3 put records it could not use. Some of them can be used now. */
export const readOrphans = listReader("orphans", ({ from, value }, file, context) => {
  const orphan = objectFrom(value)
  const original = objectFrom(orphan?.["original_data"])
  const isMem = orphan?.["type"] === "mem" || original?.["content"] !== undefined
  const row = identified("task", from, original, context)
  const again =
    original === undefined
      ? { from, quarantine: "a record without content", original }
      : isMem
        ? memFound(from, original, file.at, context)
        : row === undefined
          ? { from, quarantine: "a task without an id or a title", original }
          : taskFound(row, file, context)
  if ("records" in again)
    return { ...again, note: "a record from the quarantine of an earlier version can be used now" }
  const reason = "quarantine" in again ? again.quarantine : ""
  return {
    from,
    quarantine: `${reason} (earlier reason: ${textIn(orphan, "reason") ?? "unknown"})`,
    original: value,
  }
})

/** Reads the read-head in `graph/trajectory.json`, after the records that it points at. */
export const readHead: LegacyReader = async function* (file, context) {
  for await (const item of jsonItems(file)) {
    const { from } = item
    if ("quarantine" in item) yield item
    else if (item.key === "trajectory") {
      const head = objectFrom(item.value)
      if (head === undefined) {
        yield { from, ignore: "empty" }
        continue
      }
      const tasks = listFrom(head["active_task_ids"]).flatMap((id) => context.tasks.get(id) ?? [])
      const place = tasks[0] ?? context.phases.get(textIn(head, "active_phase_id") ?? "")
      const plan = place?.plan ?? context.plans.get(textIn(head, "active_plan_id") ?? "") ?? null
      const own = tasks.filter((task) => task.plan === plan).map(({ id }) => id)
      const at = timeOf(head["updated_at"], file.at)
      const intent = textIn(head, "intent") ?? null
      context.heads.push({ from, at, plan, phase: place?.phase ?? null, tasks: own, intent })
    } else if (item.key !== "version") yield { from, ignore: "a field that HiveMind does not need" }
  }
}

/** Reads `state/tasks.json`, a copy of the host's to-do list. Its items become tasks in a plan per session. */
export const readTodos: LegacyReader = async function* (file, context) {
  // Only titles of files read before count: two items of this list may have the same text.
  const before = new Set(context.titles.keys())
  let [session, at] = ["", file.at]
  const read = listReader(
    "tasks",
    ({ from, value }) => {
      const todo = objectFrom(value)
      const text = textIn(todo, "content", "text", "title")
      if (todo === undefined || text === undefined)
        return { from, quarantine: "a task without text", original: value }
      const old = textIn(todo, "id") ?? text
      if (before.has(titleKey("task", text))) return { from, ignore: "a task that another file has already" }
      const made = madeOf({ created: todo["created_at"] ?? at, updated: at }, at)
      const plan = legacyId("todos of", session)
      // The host gives used ids to new items, so the text is part of the id.
      const id = legacyId("todo", session, old, text)
      const { line: title, whole } = lineFrom(text)
      const priority = textIn(todo, "priority")
      const wanted = `${whole ?? title}${priority === undefined ? "" : `\nPriority: ${priority}.`}`
      const { note, ...status } = readStatus("task", todo["status"])
      rememberTitle(context, "task", text, id)
      const task = taskRecord({
        ...{ id, title, ...made, ...status, parent_plan_id: plan, parent_phase_id: inboxIdOf(plan) },
        ...{ expected_output: piecesOf(wanted)[0], rank: nextRank(context, plan, made.created_at) },
        completed_at: status.status === "completed" ? made.updated_at : null,
      })
      const planTitle = session === "" ? "To-do list" : `To-do list of session ${session}`
      const records = [...planRecords({ id: plan, title: planTitle, ...madeOf({ created: at }, at) }), task]
      return { from, records, note }
    },
    (key, value) => {
      if (key === "session_id") session = textFrom(value) ?? ""
      else if (key === "updated_at") at = timeOf(value, file.at)
    },
  )
  yield* read(file, context)
}

type Identified = NonNullable<ReturnType<typeof identified>>

function recordReader(
  level: Level,
  list: string,
  read: (row: Identified, file: LegacyFile, context: Context) => SourceRecord,
): LegacyReader {
  return listReader(list, ({ from, value }, file, context) => {
    const row = identified(level, from, value, context)
    if (row !== undefined) return read(row, file, context)
    return { from, quarantine: `a ${level} without an id or a title`, original: value }
  })
}

function identified(level: Level, from: string, value: unknown, context: Context) {
  const fields = objectFrom(value)
  const old = textIn(fields, "id")
  const names = level === "task" ? ["title", "content", "text", "name"] : ["title", "name"]
  const words = textIn(fields, ...names)
  if (fields === undefined || old === undefined || words === undefined) return undefined
  return { from, fields, old, words, id: legacyId(level, old, saltFor(context, old), words) }
}

function taskFound(
  { from, fields, old, words, id }: Identified,
  file: LegacyFile,
  context: Context,
): SourceRecord {
  const made = madeIn(fields, file.at)
  const { plan, phase, records } = phaseFor(context, textIn(fields, "parent_phase_id") ?? "", file.at)
  const { line: title, whole } = lineFrom(words)
  const { note, ...status } = readStatus("task", fields["status"])
  if (!context.tasks.has(old)) context.tasks.set(old, { id, plan, phase })
  rememberTitle(context, "task", words, id)
  const task = taskRecord({
    ...{ id, title, ...made, parent_plan_id: plan, parent_phase_id: phase, ...status },
    expected_output: piecesOf(whole ?? textIn(fields, "expected_output", "description") ?? title)[0],
    file_locks: listFrom(fields["file_locks"], 4096).map((path) => insideProject(path, context.home)),
    rank: nextRank(context, plan, made.created_at),
    completed_at: status.status === "completed" ? made.updated_at : null,
  })
  return { from, records: [...records, task], note }
}

/** Returns the phase of a task. If no file has that phase, it is created in the plan that was active. */
function phaseFor(context: Context, old: string, at: string) {
  const known = context.phases.get(old)
  if (known !== undefined) return { ...known, records: [] }
  const { plan, records } = planFor(context, undefined, at)
  const phase = legacyId("phase of tasks", plan, old)
  context.phases.set(old, { plan, phase })
  const made = madeOf({ created: at }, at)
  const title = "Migrated tasks"
  const record = phaseRecord({ id: phase, parent_plan_id: plan, title, status: "active", ...made })
  return { plan, phase, records: [...records, record] }
}

function planFor(context: Context, old: string | undefined, at: string) {
  const { plans, graph } = context
  const [first] = plans.values()
  const known = plans.get(old ?? "") ?? plans.get(graph.activePlan ?? "") ?? first
  if (known !== undefined) return { plan: known, records: [] }
  const id = legacyId("plan of tasks", graph.salt)
  plans.set("", id)
  const title = lineFrom(graph.intent ?? "Migrated work").line
  return { plan: id, records: planRecords({ id, title, ...madeOf({ created: at }, at) }) }
}

function madeIn(fields: Fields, at: string): Made {
  return madeOf({ created: fields["created_at"], updated: fields["updated_at"], stamp: fields["stamp"] }, at)
}

/** Makes an absolute path in the project relative. */
function insideProject(path: string, home: string): string {
  const inside = isAbsolute(path) ? relative(home, path) : path
  return inside === "" || inside.startsWith("..") ? path : inside
}
