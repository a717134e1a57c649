import { objectFrom, textFrom, timeOf } from "../fields.ts"
import type { Found } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { anchorFound } from "./anchors.ts"
import { readHistory } from "./idumb-1.ts"
import { delegationFound, entryFound } from "./idumb-knowledge.ts"
import { workPlanFounds } from "./idumb-plans.ts"
import { findPlan, findTask, type Known } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** `state.json` (once `hook-state.json`): the task at hand and the anchors of each session. Version 1 has the same name. */
export async function* readIdumbState(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  let saved = file.at
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === "lastSaved") saved = timeOf(item.value, file.at)
    else if (item.index !== null || VERSION_1.has(item.key)) yield* readHistory(file, item, known)
    else if (item.key === "anchors") {
      for (const [session, list] of Object.entries(objectFrom(item.value) ?? {}))
        for (const [n, anchor] of (Array.isArray(list) ? list : [list]).entries())
          yield anchorFound(`${from}.${session}[${n}]`, withSession(anchor, session), file.at, known)
    } else if (item.key === "sessions") {
      for (const [session, state] of Object.entries(objectFrom(item.value) ?? {}))
        yield activeTask(`${from}.${session}`, objectFrom(state), saved, known)
    } else if (item.key !== "version") yield { from, ignore: OVER }
  }
}

/** `tasks.json` and `graph.json` (once `task-graph.json`, `plan-state.json`): epics, and work plans. */
export async function* readIdumbPlans(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  const plans: { from: string; value: unknown }[] = []
  let active: string | undefined
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.index !== null && (item.key === "epics" || item.key === "workPlans"))
      plans.push({ from, value: item.value })
    else if (item.key === "activeEpicId" || item.key === "activeWorkPlanId") active = textFrom(item.value)
    else if (item.key !== "version") yield { from, ignore: "not a part of the plans" }
  }
  yield* workPlanFounds(plans, file, known)
  const plan = findPlan(known, active)
  if (active === undefined) return
  const from = placeIn(file, "active plan")
  if (plan === undefined) yield { from, ignore: "the active plan is not there" }
  else {
    const task = [...known.tasks.values()].find((each) => each.plan === plan && each.isActive === true)
    known.heads.push({
      ...{
        from,
        at: timeOf(modifiedAt(plans, active), file.at),
        plan,
        phase: task?.phase ?? null,
        tasks: task === undefined ? [] : [task.id],
      },
      intent: null,
    })
  }
}

function modifiedAt(plans: readonly { value: unknown }[], id: string): unknown {
  const plan = plans.map(({ value }) => objectFrom(value)).find((each) => each?.["id"] === id)
  return plan?.["modifiedAt"] ?? plan?.["createdAt"]
}

/** `delegations.json`. */
export function readDelegations(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  return entriesOf(file, "delegations", (from, value) => delegationFound(from, value, file.at, known))
}

/** `knowledge.json`. */
export function readKnowledge(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  return entriesOf(file, "entries", (from, value) => entryFound(from, value, file.at, known))
}

/** The elements of a list, or the values of an object by name. */
async function* entriesOf(
  file: OldFile,
  list: string,
  read: (from: string, value: unknown) => Found,
): AsyncGenerator<Found, void, void> {
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === list && item.index !== null) yield read(from, item.value)
    else if (item.key === list)
      for (const [name, value] of Object.entries(objectFrom(item.value) ?? {}))
        yield read(`${from}.${name}`, value)
    else if (!COUNTERS.has(item.key)) yield { from, ignore: "not a part of the list" }
  }
}

function activeTask(
  from: string,
  state: Record<string, unknown> | undefined,
  at: string,
  known: Known,
): Found {
  const task = findTask(known, textFrom(objectFrom(state?.["activeTask"])?.["id"]))
  if (task === undefined) return { from, ignore: OVER }
  known.heads.push({
    from: `${from} active task`,
    at,
    plan: task.plan,
    phase: task.phase,
    tasks: [task.id],
    intent: null,
  })
  return { from, ignore: "its active task is a candidate for the read-head" }
}

function withSession(anchor: unknown, session: string): unknown {
  const fields = objectFrom(anchor)
  return fields === undefined ? anchor : { session_id: session, ...fields }
}

const OVER = "the state of a session that is over"
const VERSION_1: ReadonlySet<string> = new Set([
  "initialized",
  "framework",
  "phase",
  "lastValidation",
  "validationCount",
])
const COUNTERS: ReadonlySet<string> = new Set(["version", "lastSynthesisAt", "exportCount", "lastSaved"])
