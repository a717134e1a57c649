import type { NewRecordOf } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { cutAt, lineFrom, listFrom, madeOf, objectFrom, piecesOf, textFrom, timeOf } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { planRecord, taskRecord } from "../make-record.ts"
import { inOrder } from "./in-order.ts"
import { idByWords, type Known, nextRank, olderId, wordsKey } from "./known.ts"
import type { OldFile } from "./old-file.ts"
import { isOver, planStatus, statusNote, taskStatus } from "./status.ts"
import { olderInbox, planWithInbox } from "./tree.ts"

interface Given {
  from: string
  value: unknown
}

type Fields = Record<string, unknown>

/** Epics and work plans become plans, their tasks and subtasks tasks. What others depend on comes first. */
export function* workPlanFounds(
  plans: readonly Given[],
  file: OldFile,
  known: Known,
): Generator<Found, void, void> {
  const ids = new Set(plans.flatMap((each) => [idOf(each), ...taskIdsOf(each)]))
  for (const { from, value, after } of inOrder(plans, idOf, dependenciesOf, isOverOne)) {
    const plan = objectFrom(value)
    const old = textFrom(plan?.["id"])
    const words = textFrom(plan?.["name"]) ?? textFrom(plan?.["title"])
    if (plan === undefined || old === undefined || words === undefined) {
      yield { from, quarantine: "a plan without an id or a name", original: value }
      continue
    }
    const id = idByWords(known, olderId("plan", old), words)
    if (!known.plans.has(old)) known.plans.set(old, id)
    known.titles.set(wordsKey("plan", words), id)
    const note = statusNote("plan", plan["status"])
    const take = planWithInbox(planOf(id, plan, words, after, file, known))
    yield { from, take, ...(note === undefined ? {} : { note }) }
    yield* taskFounds(from, listed(plan["tasks"]), { plan: id, parent: null }, file, known)
    for (const [n, ahead] of listed(plan["planAhead"]).entries())
      yield aheadFound(`${from}.planAhead[${n}]`, ahead, { plan: id, ids }, file)
  }
}

function planOf(
  id: string,
  plan: Fields,
  words: string,
  after: readonly string[],
  file: OldFile,
  known: Known,
): NewRecordOf<"plan"> {
  const { line: title, whole } = lineFrom(words)
  const category = textFrom(plan["category"])
  const summary = [
    whole,
    textFrom(plan["description"]),
    category === undefined ? undefined : `Category: ${category}.`,
  ]
  const owner = textFrom(plan["ownedBy"])
  const text = summary.filter((each) => each !== undefined).join("\n")
  const made = madeOf({ created: plan["createdAt"], updated: plan["modifiedAt"] }, file.at)
  const status = planStatus(plan["status"])
  return planRecord({
    ...{ id, title, status },
    completed_at: status === "completed" ? timeOf(plan["completedAt"], made.updated_at) : null,
    acceptance: listFrom(plan["acceptance"]),
    depends_on: after.flatMap((each) => known.plans.get(each) ?? []),
    owned_by: owner === undefined ? null : cutAt(owner, 500),
    summary: whole === undefined && textFrom(plan["description"]) === undefined ? null : piecesOf(text)[0],
    ...made,
  })
}

function* taskFounds(
  from: string,
  tasks: readonly unknown[],
  { plan, parent }: { plan: string; parent: string | null },
  file: OldFile,
  known: Known,
): Generator<Found, void, void> {
  const given = tasks.map((value, n) => ({
    from: `${from}.${parent === null ? "tasks" : "subtasks"}[${n}]`,
    value,
  }))
  const before = (one: Given) => [...dependenciesOf(one), ...gateIdOf(one.value)]
  for (const each of inOrder(given, idOf, before, isOverOne)) {
    const task = objectFrom(each.value)
    const words = textFrom(task?.["name"]) ?? textFrom(task?.["title"]) ?? textFrom(each.value)
    if (words === undefined) {
      yield { from: each.from, quarantine: "a task without a name", original: each.value }
      continue
    }
    const fields = task ?? {}
    const old = textFrom(fields["id"]) ?? `${from} ${words}`
    const record = taskOf(
      idByWords(known, olderId("task", old), words),
      fields,
      words,
      { plan, parent, after: each.after },
      file,
      known,
    )
    const isActive = record.status === "active"
    known.tasks.set(old, { id: record.id, plan, phase: record.parent_phase_id, isActive })
    known.titles.set(wordsKey("task", words), record.id)
    const isLoose =
      record.depends_on.length < new Set(dependenciesOf(each)).size ||
      (gateIdOf(each.value).length > 0 && record.temporal_gate === null)
    const told = isLoose
      ? "a dependency that is not there, or runs in a circle, was left out"
      : strangeGate(fields) === undefined
        ? statusNote("task", fields["status"])
        : "a gate that is not understood; a task that is not begun is held back because of it"
    const note = told === undefined ? {} : { note: told }
    yield { from: each.from, take: [{ kind: "task", record }, ...artifactsOf(fields, record)], ...note }
    for (const [n, checkpoint] of listed(fields["checkpoints"]).entries())
      yield checkpointFound(`${each.from}.checkpoints[${n}]`, checkpoint, record, file)
    yield* taskFounds(each.from, listed(fields["subtasks"]), { plan, parent: record.id }, file, known)
  }
}

function taskOf(
  id: string,
  task: Fields,
  words: string,
  { plan, parent, after }: { plan: string; parent: string | null; after: readonly string[] },
  file: OldFile,
  known: Known,
): NewRecordOf<"task"> {
  const { line: title, whole } = lineFrom(words)
  const who = (name: string) => {
    const text = textFrom(task[name])
    return text === undefined ? null : cutAt(text, 500)
  }
  const tools = listFrom(task["allowedTools"], 500)
  const made = madeOf({ created: task["createdAt"], updated: task["modifiedAt"] }, file.at)
  const status = taskStatus(task["status"])
  const gate = strangeGate(task)
  const evidence = textFrom(task["evidence"]) ?? textFrom(task["result"])
  return taskRecord({
    ...{
      id,
      title,
      parent_plan_id: plan,
      parent_phase_id: olderInbox(plan),
      parent_task_id: parent,
      ...made,
    },
    expected_output: piecesOf(
      [textFrom(task["expectedOutput"]), whole].filter((each) => each !== undefined).join("\n\n") || title,
    )[0],
    ...status,
    ...(gate !== undefined && status.status === "planned"
      ? { held_back: cutAt(`It had a gate that is not understood: ${gate}`, MAX_HELD_BACK) }
      : {}),
    rank: nextRank(known, plan, made.created_at),
    depends_on: listFrom(task["dependsOn"])
      .filter((each) => after.includes(each))
      .flatMap((each) => known.tasks.get(each)?.id ?? []),
    temporal_gate: gateOf(task, after, known),
    delegated_by: who("delegatedBy"),
    assigned_to: who("assignedTo") ?? who("assignee"),
    // An empty list meant no limit.
    allowed_tools: tools.length > 0 ? tools : null,
    evidence: evidence === undefined ? null : piecesOf(evidence)[0],
    completed_at: status.status === "completed" ? timeOf(task["completedAt"], made.updated_at) : null,
  })
}

function gateOf(task: Fields, after: readonly string[], known: Known): NewRecordOf<"task">["temporal_gate"] {
  const [id = ""] = gateIdOf(task)
  const before = after.includes(id) ? known.tasks.get(id) : undefined
  const reason = textFrom(objectFrom(task["temporalGate"])?.["reason"]) ?? "Taken over."
  return before === undefined ? null : { after_task_id: before.id, reason }
}

function gateIdOf(task: unknown): string[] {
  const gate = objectFrom(objectFrom(task)?.["temporalGate"])
  const id = textFrom(gate?.["afterTaskId"] ?? gate?.["after_task_id"] ?? gate?.["afterTaskNodeId"])
  return id === undefined ? [] : [id]
}

/** The text of a gate that names no task. */
function strangeGate(task: Fields): string | undefined {
  const { temporalGate: gate } = task
  if (gateIdOf(task).length > 0 || gate === undefined || gate === null || gate === false) return undefined
  const text = typeof gate === "object" ? JSON.stringify(gate) : textFrom(gate)
  return text === "{}" || text === "[]" ? undefined : text
}

function artifactsOf(task: Fields, { id, created_at, updated_at, stamp }: NewRecordOf<"task">): Taken[] {
  const paths = listed(task["artifacts"]).flatMap(
    (each) => textFrom(each) ?? textFrom(objectFrom(each)?.["path"]) ?? [],
  )
  return [...new Set(paths)].map((path) => ({
    kind: "artifact",
    record: {
      ...{ id: derivedId("file", path), path: cutAt(path, 4096), task_id: id, plan_id: null, hash: null },
      ...{ sections: [], status: "current", superseded_by: null, created_at, updated_at, stamp },
    },
  }))
}

function checkpointFound(from: string, value: unknown, task: NewRecordOf<"task">, file: OldFile): Found {
  const given = objectFrom(value)
  const summary = textFrom(given?.["summary"])
  if (given === undefined || summary === undefined)
    return { from, quarantine: "a checkpoint without words", original: value }
  const made = madeOf({ created: given["timestamp"] }, file.at)
  const { line, whole } = lineFrom(summary)
  const record: NewRecordOf<"checkpoint"> = {
    id: olderId("checkpoint", textFrom(given["id"]) ?? `${task.id} ${made.created_at} ${summary}`),
    task_id: task.id,
    session_id: null,
    tool: cutAt(textFrom(given["tool"]) ?? "unknown", 500),
    summary: line,
    files: listFrom(given["filesModified"], 4096),
    removed: [],
    command: whole === undefined ? null : piecesOf(whole)[0],
    did: [],
    run: null,
    ok: true,
    ...made,
  }
  return { from, take: [{ kind: "checkpoint", record }] }
}

function aheadFound(
  from: string,
  value: unknown,
  { plan, ids }: { plan: string; ids: ReadonlySet<string | undefined> },
  file: OldFile,
): Found {
  const given = objectFrom(value)
  const words = textFrom(given?.["name"]) ?? textFrom(given?.["title"]) ?? textFrom(value)
  if (ids.has(words ?? textFrom(given?.["id"]) ?? ""))
    return { from, ignore: "the id of a plan or a task that is there" }
  if (words === undefined) return { from, quarantine: "a task without a name", original: value }
  const { line: title, whole } = lineFrom(words)
  const record = taskRecord({
    ...{ id: olderId("task ahead", plan, textFrom(given?.["id"]) ?? words), title, ahead: true },
    ...{ parent_plan_id: plan, parent_phase_id: olderInbox(plan) },
    expected_output: piecesOf(whole ?? textFrom(given?.["expectedOutput"]) ?? title)[0],
    ...madeOf({ created: given?.["createdAt"] }, file.at),
  })
  return { from, take: [{ kind: "task", record }] }
}

function dependenciesOf({ value }: Given): string[] {
  return listFrom(objectFrom(value)?.["dependsOn"])
}

function idOf({ value }: Given): string | undefined {
  return textFrom(objectFrom(value)?.["id"])
}

function taskIdsOf({ value }: Given): (string | undefined)[] {
  return listed(objectFrom(value)?.["tasks"]).map((task) => idOf({ from: "", value: task }))
}

function isOverOne({ value }: Given): boolean {
  return isOver(objectFrom(value)?.["status"])
}

/** Something else in place of a list is its only element, so that it is told of. */
function listed(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const isEmpty = (value ?? "") === "" || JSON.stringify(value) === "{}"
  return isEmpty ? [] : [value]
}

const MAX_HELD_BACK = 10_000
