import { isAbsolute, relative } from "node:path"
import { lineFrom, listFrom, madeOf, objectFrom, piecesOf, textFrom } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { type JsonItem, jsonItems } from "../json-stream.ts"
import { phaseRecord, planRecord, taskRecord } from "../make-record.ts"
import { findPlan, idByWords, idOf, type Known, nextRank, olderId, wordsKey } from "./known.ts"
import { memFound } from "./mems.ts"
import { type OldFile, placeIn } from "./old-file.ts"
import { phaseStatus, planStatus, statusNote, taskStatus } from "./status.ts"
import { planWithInbox } from "./tree.ts"

/** `graph/plans.json`. */
export function readPlans(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  return eachOf(file, "plans", (from, plan) => {
    const old = textFrom(plan["id"])
    const words = textFrom(plan["title"]) ?? textFrom(plan["name"])
    if (old === undefined || words === undefined)
      return { from, quarantine: "a plan without an id or a title", original: plan }
    const { line: title, whole } = lineFrom(words)
    const made = madeOf(
      { created: plan["created_at"], updated: plan["updated_at"], stamp: plan["stamp"] },
      file.at,
    )
    const record = planRecord({
      ...{ id: idByWords(known, idOf(known, "plan", old), words), title, ...made },
      status: planStatus(plan["status"]),
      acceptance: listFrom(plan["acceptance"]),
      summary: whole === undefined ? (textFrom(plan["summary"]) ?? null) : piecesOf(whole)[0],
    })
    if (record.status === "completed" || record.status === "archived") record.completed_at = made.updated_at
    if (!known.plans.has(old)) known.plans.set(old, record.id)
    known.titles.set(wordsKey("plan", words), record.id)
    const note = statusNote("plan", plan["status"])
    return { from, take: planWithInbox(record), ...(note === undefined ? {} : { note }) }
  })
}

/** `graph/phases.json`, which only some have. */
export function readPhases(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  let order = 0
  return eachOf(file, "phases", (from, phase) => {
    const old = textFrom(phase["id"])
    const words = textFrom(phase["title"]) ?? textFrom(phase["name"])
    if (old === undefined || words === undefined)
      return { from, quarantine: "a phase without an id or a title", original: phase }
    const made = madeOf(
      { created: phase["created_at"], updated: phase["updated_at"], stamp: phase["stamp"] },
      file.at,
    )
    const given = textFrom(phase["parent_plan_id"]) ?? textFrom(phase["plan_id"])
    const { plan, take } = planFor(known, given, file.at)
    const id = idByWords(known, idOf(known, "phase", old), words)
    const record = phaseRecord({
      ...{ id, parent_plan_id: plan, title: lineFrom(words).line, ...made },
      ...{ order: ++order, status: phaseStatus(phase["status"]) },
    })
    if (!known.phases.has(old)) known.phases.set(old, { plan, phase: record.id })
    const note = statusNote("phase", phase["status"])
    return {
      ...{ from, take: [...take, { kind: "phase", record }] },
      ...(note === undefined ? {} : { note }),
    }
  })
}

/** `graph/tasks.json`. */
export function readTasks(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  return eachOf(file, "tasks", (from, task) => taskFound(from, task, file.at, known))
}

/** `graph/orphans.json`: what an earlier migration could not use is tried again. */
export function readOrphans(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  return eachOf(file, "orphans", (from, orphan) => {
    const original = objectFrom(orphan["original_data"])
    const isMem = orphan["type"] === "mem" || original?.["content"] !== undefined
    const again =
      original === undefined
        ? undefined
        : isMem
          ? memFound(from, original, file.at, known)
          : taskFound(from, original, file.at, known)
    if (again !== undefined && "take" in again)
      return { ...again, note: "it was in the quarantine of an earlier version, and fits now" }
    const reason = again !== undefined && "quarantine" in again ? again.quarantine : "nothing of it is left"
    return {
      from,
      quarantine: `${reason} (before: ${textFrom(orphan["reason"]) ?? "unknown"})`,
      original: orphan,
    }
  })
}

function taskFound(from: string, task: Record<string, unknown>, at: string, known: Known): Found {
  const old = textFrom(task["id"])
  const words =
    textFrom(task["title"]) ?? textFrom(task["content"]) ?? textFrom(task["text"]) ?? textFrom(task["name"])
  if (old === undefined || words === undefined)
    return { from, quarantine: "a task without an id or a title", original: task }
  const made = madeOf({ created: task["created_at"], updated: task["updated_at"], stamp: task["stamp"] }, at)
  const oldPhase = textFrom(task["parent_phase_id"]) ?? ""
  // Its plan and phase may have been taken over before, and their files with them.
  const before = known.inGraph.task(idOf(known, "task", old))
  if (before !== undefined && !known.phases.has(oldPhase))
    known.phases.set(oldPhase, { plan: before.parent_plan_id, phase: before.parent_phase_id })
  const { plan, phase, take } = phaseFor(known, oldPhase, at)
  const { line: title, whole } = lineFrom(words)
  const record = taskRecord({
    ...{ id: idByWords(known, idOf(known, "task", old), words), title, ...made },
    ...{ parent_plan_id: plan, parent_phase_id: phase },
    expected_output: piecesOf(
      whole ?? textFrom(task["expected_output"]) ?? textFrom(task["description"]) ?? title,
    )[0],
    ...taskStatus(task["status"]),
    file_locks: listFrom(task["file_locks"], 4096).map((path) => insideProject(path, known.home)),
  })
  record.rank = nextRank(known, plan, made.created_at)
  if (record.status === "completed") record.completed_at = made.updated_at
  if (!known.tasks.has(old)) known.tasks.set(old, { id: record.id, plan, phase })
  known.titles.set(wordsKey("task", words), record.id)
  const note = statusNote("task", task["status"])
  return { from, take: [...take, { kind: "task", record }], ...(note === undefined ? {} : { note }) }
}

/** The phase of a task; where no file has it, one is made, in the plan that was worked on. */
function phaseFor(known: Known, old: string, at: string): { plan: string; phase: string; take: Taken[] } {
  const there = findPhase(known, old)
  if (there !== undefined) {
    known.phases.set(old, there)
    return { ...there, take: [] }
  }
  const { plan, take } = planFor(known, undefined, at)
  const made = madeOf({ created: at }, at)
  const record = phaseRecord({
    ...{
      id: phaseOfTasks(plan, old),
      parent_plan_id: plan,
      title: "Tasks from before",
      ...made,
    },
    status: "active",
  })
  known.phases.set(old, { plan, phase: record.id })
  return { plan, phase: record.id, take: [...take, { kind: "phase", record }] }
}

/** A phase of those read so far, else one that was taken over before, or made for tasks without one. */
export function findPhase(known: Known, old: string): { plan: string; phase: string } | undefined {
  const { inGraph } = known
  const read = known.phases.get(old)
  if (read !== undefined) return read
  const ids = [idOf(known, "phase", old)]
  for (const { kind, id } of inGraph.made) if (kind === "plan") ids.push(phaseOfTasks(id, old))
  const [phase] = ids.flatMap((id) => inGraph.phase(id) ?? [])
  return phase === undefined ? undefined : { plan: phase.parent_plan_id, phase: phase.id }
}

function phaseOfTasks(plan: string, old: string): string {
  return olderId("phase of tasks", plan, old)
}

function planFor(known: Known, old: string | undefined, at: string): { plan: string; take: Taken[] } {
  const [first] = known.plans.values()
  const wanted = [old, known.graph.activePlan].filter((id) => typeof id === "string")
  const [given] = wanted.flatMap((id) => findPlan(known, id) ?? [])
  const there = given ?? first
  if (there !== undefined) return { plan: there, take: [] }
  const words = known.graph.intent ?? "Work from before"
  const record = planRecord({
    id: olderId("plan of tasks", known.graph.salt),
    title: lineFrom(words).line,
    ...madeOf({ created: at }, at),
  })
  known.plans.set("", record.id)
  return { plan: record.id, take: planWithInbox(record) }
}

/** Older tools wrote whole paths, which hold on one machine only. */
function insideProject(path: string, home: string): string {
  if (!isAbsolute(path)) return path
  const inside = relative(home, path)
  return inside === "" || inside.startsWith("..") ? path : inside
}

async function* eachOf(
  file: OldFile,
  list: string,
  read: (from: string, value: Record<string, unknown>) => Found,
): AsyncGenerator<Found, void, void> {
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === list && item.index !== null) {
      const value = objectFrom(item.value)
      yield value === undefined
        ? { from, quarantine: "not a record", original: item.value }
        : read(from, value)
    } else if (!isHeader(item)) yield { from, ignore: "not a part of the list" }
  }
}

function isHeader({ key }: JsonItem): boolean {
  return key === "version" || key === "generated_at"
}
