import { inboxIdOf } from "../../graph/inbox.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { freeNames, orderWork } from "../records/dependency-order.ts"
import {
  cutAt,
  type Fields,
  lineFrom,
  listFrom,
  madeOf,
  objectFrom,
  piecesOf,
  shortTextIn,
  tagsFrom,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { jsonItems, placeIn } from "../records/json-items.ts"
import { planRecords, taskRecord } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"
import {
  type Context,
  type LegacyFile,
  type LegacyReader,
  legacyId,
  listReader,
  nextRank,
  readStatus,
  rememberTitle,
} from "./context.ts"
import { anchorFound, memFound, pastMem } from "./knowledge.ts"

/** Reads plans and epics with tasks: `tasks.json`, `graph.json`, and the older `task-graph.json` and `plan-state.json`. */
export const readIdumbPlans: LegacyReader = async function* (file, context) {
  const plans: Given[] = []
  let active: string | undefined
  for await (const item of jsonItems(file)) {
    const { from } = item
    if ("quarantine" in item) yield item
    else if (item.index !== null && (item.key === "epics" || item.key === "workPlans"))
      plans.push(givenOf(from, item.value))
    else if (item.key === "activeEpicId" || item.key === "activeWorkPlanId") active = textFrom(item.value)
    else if (item.key !== "version") yield { from, ignore: "a field that HiveMind does not need" }
  }
  // An item of `planAhead` may be the id of a plan or task in this file. Such an item does not become a task.
  const ids = new Set(
    plans.flatMap(({ id, fields }) => [id, ...listed(fields?.["tasks"]).map((task) => textIn(task, "id"))]),
  )
  for (const { given, left } of inOrder(plans)) yield* planFounds(given, left, ids, file, context)
  if (active === undefined) return
  const from = placeIn(file, "active plan")
  const plan = context.plans.get(active)
  if (plan === undefined) {
    yield { from, ignore: "the active plan does not exist" }
    return
  }
  const task = [...context.tasks.values()].find((each) => each.plan === plan && each.isActive === true)
  const fields = plans.find(({ id }) => id === active)?.fields
  const at = timeOf(fields?.["modifiedAt"] ?? fields?.["createdAt"], file.at)
  const tasks = task === undefined ? [] : [task.id]
  context.heads.push({ from, at, plan, phase: task?.phase ?? null, tasks, intent: null })
}

type Given = ReturnType<typeof givenOf>

function givenOf(from: string, value: unknown) {
  const fields = objectFrom(value)
  const waitsFor = [...listFrom(fields?.["dependsOn"]), ...gateIds(fields)]
  return { from, value, fields, id: textIn(fields, "id"), parent: null, waitsFor }
}

/** Sorts plans after their dependencies. `left` has the dependencies that are dropped because they are circular. */
function inOrder(all: readonly Given[]): { given: Given; left: ReadonlySet<string> }[] {
  const free = freeNames()
  const nodes = new Map(all.map((given) => [free(given.id ?? given.from), given]))
  const { order, notWaitedFor } = orderWork(nodes)
  return order.flatMap((key) => {
    const given = nodes.get(key)
    return given === undefined ? [] : { given, left: notWaitedFor.get(key) ?? new Set<string>() }
  })
}

function* planFounds(
  { from, value, fields: plan, id: old }: Given,
  left: ReadonlySet<string>,
  ids: ReadonlySet<string | undefined>,
  file: LegacyFile,
  context: Context,
): Generator<SourceRecord, void, void> {
  const words = textIn(plan, "name", "title")
  if (plan === undefined || old === undefined || words === undefined) {
    yield { from, quarantine: "a plan without an id or a name", original: value }
    return
  }
  const id = legacyId("plan", old, words)
  if (!context.plans.has(old)) context.plans.set(old, id)
  rememberTitle(context, "plan", words, id)
  const { line: title, whole } = lineFrom(words)
  const own = [whole, textIn(plan, "description")].filter((each) => each !== undefined)
  const category = textIn(plan, "category")
  const text = [...own, ...(category === undefined ? [] : [`Category: ${category}.`])]
  const made = madeOf({ created: plan["createdAt"], updated: plan["modifiedAt"] }, file.at)
  const { status, note } = readStatus("plan", plan["status"])
  const after = listFrom(plan["dependsOn"]).filter((each) => !left.has(each))
  const records = planRecords({
    ...{ id, title, status, ...made, acceptance: listFrom(plan["acceptance"]) },
    completed_at: status === "completed" ? timeOf(plan["completedAt"], made.updated_at) : null,
    depends_on: after.flatMap((each) => context.plans.get(each) ?? []),
    owned_by: shortTextIn(plan, MAX_NAME, "ownedBy"),
    summary: own.length === 0 ? null : piecesOf(text.join("\n"))[0],
  })
  yield { from, records, note }
  yield* taskFounds(from, listed(plan["tasks"]), { plan: id, parent: null }, file, context)
  for (const [n, ahead] of listed(plan["planAhead"]).entries())
    yield aheadFound(`${from}.planAhead[${n}]`, ahead, { plan: id, ids }, file)
}

function* taskFounds(
  place: string,
  tasks: readonly unknown[],
  { plan, parent }: { plan: string; parent: string | null },
  file: LegacyFile,
  context: Context,
): Generator<SourceRecord, void, void> {
  const list = parent === null ? "tasks" : "subtasks"
  const all = tasks.map((value, n) => givenOf(`${place}.${list}[${n}]`, value))
  for (const { given, left } of inOrder(all)) {
    const { from, value, fields = {} } = given
    const words = textIn(fields, "name", "title") ?? textFrom(value)
    if (words === undefined) {
      yield { from, quarantine: "a task without a name", original: value }
      continue
    }
    const old = given.id ?? `${place} ${words}`
    const made = madeOf({ created: fields["createdAt"], updated: fields["modifiedAt"] }, file.at)
    const find = (id: string) => (left.has(id) ? [] : (context.tasks.get(id)?.id ?? []))
    const dependsOn = new Set(listFrom(fields["dependsOn"]))
    const depends_on = [...new Set([...dependsOn].flatMap(find))]
    const gates = gateIds(fields)
    const [gate] = gates.flatMap(find)
    const reason = textIn(fields["temporalGate"], "reason") ?? "Migrated."
    const { note, ...status } = readStatus("task", fields["status"])
    const { line: title, whole } = lineFrom(words)
    const output = [textIn(fields, "expectedOutput"), whole].filter((each) => each !== undefined).join("\n\n")
    const { record } = taskRecord({
      ...{ id: legacyId("task", old, plan, words), title, ...made, ...status },
      ...{ parent_plan_id: plan, parent_phase_id: inboxIdOf(plan), parent_task_id: parent },
      ...{ expected_output: piecesOf(output || title)[0], rank: nextRank(context, plan, made.created_at) },
      ...{ depends_on, temporal_gate: gate === undefined ? null : { after_task_id: gate, reason } },
      delegated_by: shortTextIn(fields, MAX_NAME, "delegatedBy"),
      assigned_to: shortTextIn(fields, MAX_NAME, "assignedTo", "assignee"),
      allowed_tools: allowedTools(fields),
      evidence: shortTextIn(fields, 100_000, "evidence", "result"),
      completed_at: status.status === "completed" ? timeOf(fields["completedAt"], made.updated_at) : null,
    })
    const isActive = record.status === "active"
    context.tasks.set(old, { id: record.id, plan, phase: record.parent_phase_id, isActive })
    rememberTitle(context, "task", words, record.id)
    const isLoose = depends_on.length < dependsOn.size || (gates.length > 0 && gate === undefined)
    const records: NewRecord[] = [{ kind: "task", record }, ...artifacts(fields, record)]
    yield { from, records, note: isLoose ? LEFT_OUT : note }
    for (const [n, checkpoint] of listed(fields["checkpoints"]).entries())
      yield checkpointFound(`${from}.checkpoints[${n}]`, checkpoint, record, file)
    yield* taskFounds(from, listed(fields["subtasks"]), { plan, parent: record.id }, file, context)
  }
}

function artifacts(task: Fields, { id, created_at, updated_at, stamp }: NewRecordOf<"task">): NewRecord[] {
  const paths = listed(task["artifacts"]).flatMap((each) => textFrom(each) ?? textIn(each, "path") ?? [])
  return [...new Set(paths)].map((path) => ({
    kind: "artifact",
    record: {
      ...{ id: derivedId("file", path), path: cutAt(path, 4096), task_id: id, plan_id: null, hash: null },
      ...{ sections: [], status: "current", superseded_by: null, created_at, updated_at, stamp },
    },
  }))
}

function checkpointFound(
  from: string,
  value: unknown,
  task: NewRecordOf<"task">,
  file: LegacyFile,
): SourceRecord {
  const given = objectFrom(value)
  const summary = textIn(given, "summary")
  if (given === undefined || summary === undefined)
    return { from, quarantine: "a checkpoint without text", original: value }
  const made = madeOf({ created: given["timestamp"] }, file.at)
  const { line, whole } = lineFrom(summary)
  const record: NewRecordOf<"checkpoint"> = {
    id: legacyId("checkpoint", textIn(given, "id") ?? made.created_at, task.id, summary),
    ...{ task_id: task.id, session_id: null, tool: shortTextIn(given, MAX_NAME, "tool") ?? "unknown" },
    ...{ summary: line, files: listFrom(given["filesModified"], 4096), removed: [] },
    ...{ command: whole === undefined ? null : piecesOf(whole)[0], did: [], run: null, ok: true, ...made },
  }
  return { from, records: [{ kind: "checkpoint", record }] }
}

function aheadFound(
  from: string,
  value: unknown,
  { plan, ids }: { plan: string; ids: ReadonlySet<string | undefined> },
  file: LegacyFile,
): SourceRecord {
  const given = objectFrom(value)
  const words = textIn(given, "name", "title") ?? textFrom(value)
  const old = textIn(given, "id")
  if (ids.has(words ?? old ?? "")) return { from, ignore: "only the id of an existing plan or task" }
  if (words === undefined) return { from, quarantine: "a task without a name", original: value }
  const { line: title, whole } = lineFrom(words)
  const task = taskRecord({
    ...{ id: legacyId("task ahead", plan, old ?? "", words), title, ahead: true },
    ...{ parent_plan_id: plan, parent_phase_id: inboxIdOf(plan) },
    expected_output: piecesOf(whole ?? textIn(given, "expectedOutput") ?? title)[0],
    ...madeOf({ created: given?.["createdAt"] }, file.at),
  })
  return { from, records: [task] }
}

function gateIds(task: Fields | undefined): string[] {
  const id = textIn(task?.["temporalGate"], "afterTaskId", "after_task_id", "afterTaskNodeId")
  return id === undefined ? [] : [id]
}

/** The elements of a list. A value that is not a list becomes a list of one, so that it is counted. */
function listed(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return (value ?? "") === "" || JSON.stringify(value) === "{}" ? [] : [value]
}

/** Reads `state.json`, or `hook-state.json`: version 2 has sessions and anchors, version 1 a history and a phase. */
export const readIdumbState: LegacyReader = async function* (file, context) {
  let saved = file.at
  for await (const item of jsonItems(file)) {
    const { from } = item
    if ("quarantine" in item) yield item
    else if (item.key === "lastSaved") saved = timeOf(item.value, file.at)
    else if (item.key === "history" && item.index !== null) yield eventFound(from, item.value, file.at)
    else if (item.key === "anchors" && item.index !== null)
      yield anchorFound(from, item.value, file.at, context)
    else if (item.key === "phase" && textFrom(item.value) !== undefined)
      yield anchorFound(from, { key: "phase", value: item.value, type: "phase" }, file.at, context)
    else if (item.key === "anchors") {
      for (const [session_id, list] of Object.entries(objectFrom(item.value) ?? {}))
        for (const [n, anchor] of [list].flat().entries()) {
          const fields = objectFrom(anchor)
          const given = fields === undefined ? anchor : { session_id, ...fields }
          yield anchorFound(`${from}.${session_id}[${n}]`, given, file.at, context)
        }
    } else if (item.key === "sessions") {
      for (const [session, state] of Object.entries(objectFrom(item.value) ?? {})) {
        const place = `${from}.${session}`
        const task = context.tasks.get(textIn(objectFrom(state)?.["activeTask"], "id") ?? "")
        if (task === undefined) yield { from: place, ignore: SESSION_OVER }
        else {
          const { id, plan, phase } = task
          const head = { at: saved, plan, phase, tasks: [id], intent: null }
          context.heads.push({ from: `${place} active task`, ...head })
          yield { from: place, ignore: "the session is over; its active task may become the read-head's" }
        }
      }
    } else if (item.key !== "version") yield { from, ignore: SESSION_OVER }
  }
}

/** Makes a mem of an event. It is stale from the start: recall finds it, but it is not shown in turns. */
function eventFound(from: string, value: unknown, at: string): SourceRecord {
  const event = objectFrom(value)
  const made = madeOf({ created: event?.["timestamp"] ?? event?.["at"] ?? event?.["createdAt"] }, at)
  const names = ["action", "event", "summary", "description", "message", "result", "agent"]
  const words = names.flatMap((name) => textIn(event, name) ?? [])
  const json = event === undefined || Object.keys(event).length === 0 ? undefined : JSON.stringify(event)
  const content = words.length > 0 ? words.join(" — ") : (json ?? textFrom(value))
  if (content === undefined) return { from, quarantine: "an entry without text", original: value }
  const id = legacyId("history", made.created_at, content)
  return { from, records: pastMem({ id, content, shelf: "history", ...made }) }
}

export const readKnowledge = listReader("entries", ({ from, value }, { at }, context) => {
  const entry = objectFrom(value)
  const title = textIn(entry, "title", "name")
  const body = textIn(entry, "content", "text", "summary", "description", "value") ?? textFrom(value)
  const content = [title, body].filter((each) => each !== undefined).join(": ")
  if (content === "") return { from, quarantine: "an entry without text", original: value }
  const type = textIn(entry, "type", "category")
  const mem = {
    content,
    type,
    shelf: textIn(entry, "shelf") ?? type ?? "knowledge",
    tags: tagsFrom(entry?.["tags"]),
    session_id: entry?.["sessionId"],
    origin_task_id: entry?.["taskId"] ?? entry?.["taskNodeId"],
    created_at: entry?.["createdAt"] ?? entry?.["timestamp"] ?? entry?.["created_at"],
    updated_at: entry?.["modifiedAt"] ?? entry?.["updatedAt"],
    relevance_score: entry?.["confidence"],
  }
  return memFound(from, mem, at, context)
})

/** Reads `delegations.json`. Unfinished delegations count as ended, because their sessions are gone. */
export const readDelegations = listReader("delegations", ({ from, value }, { at }, context) => {
  const given = objectFrom(value)
  const task = context.tasks.get(textIn(given, "taskNodeId", "taskId", "task_id") ?? "")
  if (given === undefined || task === undefined)
    return { from, quarantine: "a delegation whose task does not exist", original: value }
  const updated = given["modifiedAt"] ?? given["completedAt"]
  const record: NewRecordOf<"delegation"> = {
    id: legacyId("delegation", textIn(given, "id") ?? JSON.stringify(value)),
    task_id: task.id,
    from_agent: shortTextIn(given, MAX_NAME, "from", "fromAgent", "delegatedBy") ?? "unknown",
    to_agent: shortTextIn(given, MAX_NAME, "to", "toAgent", "assignedTo") ?? "unknown",
    ...{ session_id: null, child_session_id: null, depth: 1 },
    allowed_tools: allowedTools(given),
    status: STATUSES[textIn(given, "status")?.toLowerCase() ?? ""] ?? "recalled",
    result: shortTextIn(given, MAX_TEXT, "result", "outcome", "summary"),
    reason: shortTextIn(given, MAX_TEXT, "reason", "error") ?? "Migrated; its session is over.",
    ...madeOf({ created: given["createdAt"] ?? given["timestamp"], updated }, at),
  }
  return { from, records: [{ kind: "delegation", record }] }
})

/** The allowed tools, or null for an empty list, which meant no limit in iDumb. */
function allowedTools(fields: Fields): string[] | null {
  const tools = listFrom(fields["allowedTools"], MAX_NAME)
  return tools.length > 0 ? tools : null
}

const LEFT_OUT = "a dependency that does not exist or is part of a circle was left out"
const SESSION_OVER = "the state of a session that is over"
const STATUSES: Readonly<Record<string, NewRecordOf<"delegation">["status"]>> = {
  ...{ completed: "returned", complete: "returned", done: "returned", returned: "returned" },
  ...{ failed: "failed", rejected: "failed", expired: "failed" },
}
const MAX_NAME = 500
const MAX_TEXT = 100_000
