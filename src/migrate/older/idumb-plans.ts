import type { NewRecordOf } from "../../schemas/records.ts"
import { cutAt, lineFrom, listFrom, madeOf, objectFrom, piecesOf, textFrom, timeOf } from "../fields.ts"
import type { Found } from "../found.ts"
import { planRecord, taskRecord } from "../make-record.ts"
import { dependenciesOf, type Given, idOf, isOverOne, listed } from "./idumb-given.ts"
import { taskFounds } from "./idumb-tasks.ts"
import { inOrder } from "./in-order.ts"
import { findPlan, idByWords, type Known, olderId, wordsKey } from "./known.ts"
import type { OldFile } from "./old-file.ts"
import { planStatus, statusNote } from "./status.ts"
import { olderInbox, planWithInbox } from "./tree.ts"

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
      yield aheadFound(`${from}.planAhead[${n}]`, ahead, { plan: id, ids }, file, known)
  }
}

function planOf(
  id: string,
  plan: Record<string, unknown>,
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
    depends_on: after.flatMap((each) => findPlan(known, each) ?? []),
    owned_by: owner === undefined ? null : cutAt(owner, 500),
    summary: whole === undefined && textFrom(plan["description"]) === undefined ? null : piecesOf(text)[0],
    ...made,
  })
}

function aheadFound(
  from: string,
  value: unknown,
  { plan, ids }: { plan: string; ids: ReadonlySet<string | undefined> },
  file: OldFile,
  known: Known,
): Found {
  const given = objectFrom(value)
  const words = textFrom(given?.["name"]) ?? textFrom(given?.["title"]) ?? textFrom(value)
  if (ids.has(words ?? textFrom(given?.["id"]) ?? ""))
    return { from, ignore: "the id of a plan or a task that is there" }
  if (words === undefined) return { from, quarantine: "a task without a name", original: value }
  const { line: title, whole } = lineFrom(words)
  const old = textFrom(given?.["id"]) ?? words
  const record = taskRecord({
    ...{ id: idByWords(known, olderId("task ahead", plan, old), words), title, ahead: true },
    ...{ parent_plan_id: plan, parent_phase_id: olderInbox(plan) },
    expected_output: piecesOf(whole ?? textFrom(given?.["expectedOutput"]) ?? title)[0],
    ...madeOf({ created: given?.["createdAt"] }, file.at),
  })
  return { from, take: [{ kind: "task", record }] }
}

function taskIdsOf({ value }: Given): (string | undefined)[] {
  return listed(objectFrom(value)?.["tasks"]).map((task) => idOf({ from: "", value: task }))
}
