import { inboxIdOf } from "../../graph/inbox.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { freeNames, type Node, orderWork } from "../records/dependency-order.ts"
import {
  cutAt,
  lineFrom,
  listFrom,
  madeOf,
  objectFrom,
  piecesOf,
  shortTextIn,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import { planRecords, taskRecord } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"
import {
  type Context,
  type Fields,
  type LegacyFile,
  type LegacyReader,
  legacyId,
  nextRank,
  placeIn,
  planStatus,
  rememberTitle,
  statusNote,
  taskStatus,
} from "./context.ts"

/** `tasks.json` and `graph.json` (once `task-graph.json`, `plan-state.json`): epics and work plans with their tasks. */
export const readIdumbPlans: LegacyReader = async function* (file, context) {
  const plans: Given[] = []
  let active: string | undefined
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.index !== null && (item.key === "epics" || item.key === "workPlans"))
      plans.push(givenOf(from, item.value, null))
    else if (item.key === "activeEpicId" || item.key === "activeWorkPlanId") active = textFrom(item.value)
    else if (item.key !== "version") yield { from, ignore: "not a part of the plans" }
  }
  // A planned item may name a plan or a task by its id.
  const ids = new Set(plans.flatMap(({ id, fields }) => [id, ...listed(fields?.["tasks"]).map(idOf)]))
  for (const { given, left } of inOrder(plans)) yield* planFounds(given, left, ids, file, context)
  if (active === undefined) return
  const from = placeIn(file, "active plan")
  const plan = context.plans.get(active)
  if (plan === undefined) {
    yield { from, ignore: "the active plan is not there" }
    return
  }
  const task = [...context.tasks.values()].find((each) => each.plan === plan && each.isActive === true)
  const fields = plans.find(({ id }) => id === active)?.fields
  const at = timeOf(fields?.["modifiedAt"] ?? fields?.["createdAt"], file.at)
  const tasks = task === undefined ? [] : [task.id]
  context.heads.push({ from, at, plan, phase: task?.phase ?? null, tasks, intent: null })
}

interface Given extends Node {
  from: string
  value: unknown
  fields: Fields | undefined
  id: string | undefined
}

function givenOf(from: string, value: unknown, parent: string | null): Given {
  const fields = objectFrom(value)
  const waitsFor = [...listFrom(fields?.["dependsOn"]), ...gateIds(fields)]
  return { from, value, fields, id: idOf(value), parent, waitsFor }
}

/** Each after its dependencies; `left` names dependencies that would close a circle. */
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
  const category = textIn(plan, "category")
  const text = [
    whole,
    textIn(plan, "description"),
    ...(category === undefined ? [] : [`Category: ${category}.`]),
  ]
  const made = madeOf({ created: plan["createdAt"], updated: plan["modifiedAt"] }, file.at)
  const status = planStatus(plan["status"])
  const after = listFrom(plan["dependsOn"]).filter((each) => !left.has(each))
  const records = planRecords({
    ...{ id, title, status, ...made, acceptance: listFrom(plan["acceptance"]) },
    completed_at: status === "completed" ? timeOf(plan["completedAt"], made.updated_at) : null,
    depends_on: after.flatMap((each) => context.plans.get(each) ?? []),
    owned_by: shortTextIn(plan, MAX_NAME, "ownedBy"),
    summary:
      text[0] === undefined && text[1] === undefined
        ? null
        : piecesOf(text.filter((each) => each !== undefined).join("\n"))[0],
  })
  yield { from, records, note: statusNote("plan", plan["status"]) }
  yield* taskFounds(from, listed(plan["tasks"]), { plan: id, parent: null }, file, context)
  for (const [n, ahead] of listed(plan["planAhead"]).entries())
    yield aheadFound(`${from}.planAhead[${n}]`, ahead, { plan: id, ids }, file)
}

/** Tasks and subtasks of a plan, with their checkpoints and files. */
function* taskFounds(
  place: string,
  tasks: readonly unknown[],
  { plan, parent }: { plan: string; parent: string | null },
  file: LegacyFile,
  context: Context,
): Generator<SourceRecord, void, void> {
  const list = parent === null ? "tasks" : "subtasks"
  for (const { given, left } of inOrder(
    tasks.map((value, n) => givenOf(`${place}.${list}[${n}]`, value, null)),
  )) {
    const { from, value, fields = {} } = given
    const words = textIn(fields, "name", "title") ?? textFrom(value)
    if (words === undefined) {
      yield { from, quarantine: "a task without a name", original: value }
      continue
    }
    const old = given.id ?? `${place} ${words}`
    const made = madeOf({ created: fields["createdAt"], updated: fields["modifiedAt"] }, file.at)
    const find = (id: string) => (left.has(id) ? [] : (context.tasks.get(id)?.id ?? []))
    const depends_on = [...new Set(listFrom(fields["dependsOn"]).flatMap(find))]
    const [gate] = gateIds(fields).flatMap(find)
    const reason = textIn(objectFrom(fields["temporalGate"]), "reason") ?? "Migrated."
    const status = taskStatus(fields["status"])
    const { line: title, whole } = lineFrom(words)
    const output = [textIn(fields, "expectedOutput"), whole].filter((each) => each !== undefined).join("\n\n")
    const tools = listFrom(fields["allowedTools"], MAX_NAME)
    const { record } = taskRecord({
      ...{ id: legacyId("task", old, plan, words), title, ...made, ...status },
      ...{ parent_plan_id: plan, parent_phase_id: inboxIdOf(plan), parent_task_id: parent },
      ...{ expected_output: piecesOf(output || title)[0], rank: nextRank(context, plan, made.created_at) },
      ...{ depends_on, temporal_gate: gate === undefined ? null : { after_task_id: gate, reason } },
      delegated_by: shortTextIn(fields, MAX_NAME, "delegatedBy"),
      assigned_to: shortTextIn(fields, MAX_NAME, "assignedTo", "assignee"),
      // An empty list meant no limit.
      allowed_tools: tools.length > 0 ? tools : null,
      evidence: shortTextIn(fields, 100_000, "evidence", "result"),
      completed_at: status.status === "completed" ? timeOf(fields["completedAt"], made.updated_at) : null,
    })
    const isActive = record.status === "active"
    context.tasks.set(old, { id: record.id, plan, phase: record.parent_phase_id, isActive })
    rememberTitle(context, "task", words, record.id)
    const isLoose =
      depends_on.length < new Set(listFrom(fields["dependsOn"])).size ||
      (gateIds(fields).length > 0 && gate === undefined)
    const note = isLoose
      ? "a dependency that is not there, or runs in a circle, was left out"
      : statusNote("task", fields["status"])
    yield { from, records: [{ kind: "task", record }, ...artifacts(fields, record)], note }
    for (const [n, checkpoint] of listed(fields["checkpoints"]).entries())
      yield checkpointFound(`${from}.checkpoints[${n}]`, checkpoint, record, file)
    yield* taskFounds(from, listed(fields["subtasks"]), { plan, parent: record.id }, file, context)
  }
}

function artifacts(task: Fields, { id, created_at, updated_at, stamp }: NewRecordOf<"task">): NewRecord[] {
  const paths = listed(task["artifacts"]).flatMap(
    (each) => textFrom(each) ?? textIn(objectFrom(each), "path") ?? [],
  )
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
    return { from, quarantine: "a checkpoint without words", original: value }
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
  if (ids.has(words ?? old ?? "")) return { from, ignore: "the id of a plan or a task that is there" }
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
  const id = textIn(objectFrom(task?.["temporalGate"]), "afterTaskId", "after_task_id", "afterTaskNodeId")
  return id === undefined ? [] : [id]
}

function idOf(value: unknown): string | undefined {
  return textIn(objectFrom(value), "id")
}

/** A value in place of a list is its only element, so that it is counted. */
function listed(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return (value ?? "") === "" || JSON.stringify(value) === "{}" ? [] : [value]
}

const MAX_NAME = 500
