import { unmetItems } from "../../../../src/context/inject/decide.ts"
import { currentStatus, recordFinder } from "../../../../src/context/turning-points/status.ts"
import {
  isAnchorKept,
  isDonePlan,
  isDoneTask,
  isKnowledge,
  isOpenDecision,
  isOpenDelegation,
  isOpenPlan,
  isOverTask,
} from "../../../../src/graph/lifecycle.ts"
import { isReplaced, memStatus } from "../../../../src/graph/mem-status.ts"
import { lookupIn } from "../../../../src/graph/obstacles.ts"
import { describeConflict, isOpenConflict, openConflicts } from "../../../../src/graph/open-conflicts.ts"
import { intentOf } from "../../../../src/graph/read-head.ts"
import type { GraphState } from "../../../../src/graph/state.ts"
import { isOld } from "../../../../src/knowledge/anchor/staleness.ts"
import type { Config } from "../../../../src/schemas/config.ts"
import type { Mem } from "../../../../src/schemas/knowledge.ts"
import type { Trajectory, TurningPoint } from "../../../../src/schemas/session.ts"
import type { Task } from "../../../../src/schemas/task.ts"
import { shortId } from "../../../../src/shared/ids.ts"
import { metricsOf } from "../../../../src/watch/session-metrics.ts"
import { activeSignals, warningOf } from "../../../../src/watch/signals.ts"
import { isAcknowledged } from "../../../../src/watch/warnings.ts"
import type { Beliefs, Told } from "./beliefs.ts"

function differs(what: string, told: string | undefined, is: string | undefined): string[] {
  return told === is ? [] : [`${what} told "${told}", is "${is}"`]
}

/** A reader's wrong beliefs, and facts that it should know and was not shown. */
export function untruths(beliefs: Beliefs, truth: Truth): string[] {
  const wrong: string[] = []
  for (const [key, told] of beliefs) {
    const [kind = "", ...ids] = key.split(" ")
    const found = checks[kind]?.(told, ids, truth, beliefs) ?? []
    wrong.push(...found.map((what) => `${key} as ${told.as}: ${what}`))
  }
  return [...wrong, ...unsaid(beliefs, truth).map((what) => `unsaid: ${what}`)]
}

type Check = (told: Told, ids: readonly string[], truth: Truth, beliefs: Beliefs) => string[]

export const checks: Readonly<Record<string, Check>> = {
  head({ attributes, text }, _, { state, head }) {
    const now = [head.active_plan_id, head.active_phase_id, head.active_task_ids[0]]
    const told = [attributes["plan"], attributes["phase"], attributes["task"]]
    return [
      ...differs("place", told.join(), now.map((id) => shortId(id ?? "")).join()),
      ...differs("intent", text, intentOf(state, head) ?? ""),
    ]
  },
  plan(told, [id], { state, documentOf }) {
    const plan = byShort(state.plan, id)
    if (plan === undefined) return ["unknown"]
    const missing = plan.depends_on.filter((each) => !isDonePlan(state.plan.get(each)))
    const criteria = plan.acceptance.length === 0 ? [] : [plan.acceptance.join("; ")]
    const waits = isOpenPlan(plan) ? missing.map(shortId).join(" ") : ""
    return [
      ...differs("status", told.attributes["status"], plan.status),
      ...differs("waits", told.attributes["waits_for"] ?? "", waits),
      ...differs("text", told.text, [plan.title, ...criteria].join(" — done when: ")),
      ...differs("document", told.attributes["document"] ?? "", documentOf(plan.id).path),
      ...differs("edit", told.attributes["document_changed"] ?? "", documentOf(plan.id).edited),
    ]
  },
  phase({ attributes, text }, [id], { state }) {
    const phase = byShort(state.phase, id)
    const progress = phase === undefined ? "" : progressOf(state, phase.id)
    return [
      ...differs("status", attributes["status"], phase?.status),
      ...differs("text", text, phase?.title),
      ...differs("progress", attributes["progress"], progress),
    ]
  },
  task(about, [id], { state }, beliefs) {
    const { as, attributes } = about
    const task = byShort(state.task, id)
    if (task === undefined) return ["unknown"]
    const status = differs("status", as === "failed" ? "failed" : attributes["status"], task.status)
    const described = [...status, ...taskDescription(about, task)]
    // What is over waits for nothing.
    if (isOverTask(task)) return described
    const decisions = task.decisions.filter((each) => isOpenDecision(state.mem.get(each)))
    const told =
      as === "task" ? waitsTold(beliefs, id ?? "", state) : (attributes["waits_for"] ?? "").split(" ")
    return [
      ...described,
      ...differs("waits", sorted(told), sorted(waitsOf(state, task))),
      ...differs(
        "decisions",
        sorted((attributes["needs_decision"] ?? "").split(" ")),
        sorted(decisions.map(shortId)),
      ),
    ]
  },
  wait({ as, attributes, text }, [task, on], { state }) {
    const other = byShort(state.task, on)
    const reason = byShort(state.task, task)?.temporal_gate?.reason
    const title = other?.title ?? ""
    return [
      ...differs("status", attributes["status"], other?.status ?? "missing"),
      ...differs("text", text, as === "gate" ? `${title}: ${reason}` : title),
    ]
  },
  mem({ as, text, attributes }, [id], { state, archive, evidence }) {
    const mem = byShort(state.mem, id) ?? byShort(archive, id)
    if (mem === undefined) return ["unknown"]
    if (as === "avoid" && memStatus(mem) !== "false path") return ["no false path"]
    if (as === "avoid")
      return differs(
        "text",
        text,
        mem.reason === null ? mem.content : `${mem.content} — failed: ${mem.reason}`,
      )
    if (as === "decision") return isOpenDecision(mem) ? differs("text", text, mem.content) : ["not open"]
    if (!isKnowledge(mem) || isReplaced(state, mem.id)) return ["no knowledge"]
    const isChanged = !mem.evidence.every(evidence)
    return [
      ...differs("text", text, mem.content),
      ...differs("kind", attributes["kind"], mem.kind),
      ...differs("unverified", attributes["unverified"] ?? "", isChanged ? "its file has changed" : ""),
    ]
  },
  anchor({ text, attributes }, [key], { state, now }) {
    const anchor = [...state.anchor.values()].find((each) => each.key === key)
    if (anchor === undefined || !isAnchorKept(anchor)) return ["removed"]
    const isStale = anchor.status === "stale" || isOld(anchor, now)
    return [
      ...differs("value", text, anchor.value),
      ...differs("priority", attributes["priority"], anchor.priority),
      ...differs("stale", attributes["stale"] ?? "no", isStale ? "yes" : "no"),
    ]
  },
  delegation({ attributes, text }, [id], { state }) {
    const delegation = byShort(state.delegation, id)
    if (delegation === undefined || !isOpenDelegation(delegation)) return ["over"]
    return [
      ...differs("status", attributes["status"], delegation.status),
      ...differs("text", text, state.task.get(delegation.task_id)?.title),
    ]
  },
  conflict({ text }, [id], { state }) {
    const conflict = byShort(state.conflict, id)
    if (conflict === undefined || !isOpenConflict(conflict, state)) return ["settled"]
    const { record, stands, lost } = describeConflict(conflict, state)
    return differs(
      "text",
      text,
      `${record}: kept: ${stands}; lost, from another clone: ${lost}`.replaceAll('"', "'"),
    )
  },
  turn({ text }, [id, kind], { state, archive }) {
    const records = [state.mem, state.anchor, state.task, state.phase, state.plan, archive]
    const about = records.flatMap((each) => [...each.keys()]).find((each) => shortId(each) === id)
    if (about === undefined) return []
    const point = { kind: kind as TurningPoint["kind"], about }
    const status = currentStatus(point, recordFinder(lookupIn(state), archive))
    return status === undefined || isReplaced(state, about)
      ? ["changed or gone since the model saw it"]
      : differs("text", text, status.text)
  },
  warning({ text, attributes }, [id], { state, session, now, detection }) {
    const metrics = metricsOf(state, session)
    const signals = activeSignals({ state, session, metrics, now, detection })
    const signal = signals.find(({ name }) => name === id)
    if (signal === undefined || isAcknowledged(metrics, signal.name, signal.severity)) return ["over"]
    return [
      ...differs("severity", attributes["severity"], signal.severity),
      ...differs("text", text, warningOf(signal.name, signal.severity, detection).text),
    ]
  },
  reminder({ text }, _, truth) {
    const unmet = unmetOf(truth)
    const now = unmet.length === 0 ? "nothing any more" : unmet.join("\n")
    return differs("unmet", text.replaceAll(/^<before_you_stop>\n?|\n?<\/before_you_stop>$/g, ""), now)
  },
}

/** Things that the model must know: the work at hand, open decisions, critical anchors, conflicts. */
function unsaid(beliefs: Beliefs, truth: Truth): string[] {
  const { state, head } = truth
  const wanted = [
    // Without a plan at hand, every open one can be taken up: the world has no more than are shown.
    ...(head.active_plan_id !== null
      ? [`plan ${shortId(head.active_plan_id)}`]
      : truth.isScoped
        ? []
        : valuesWhere(state.plan, isOpenPlan).map(({ id }) => `plan ${shortId(id)}`)),
    ...head.active_task_ids.map((id) => `task ${shortId(id)}`),
    ...valuesWhere(state.mem, (mem) => memStatus(mem) === "open").map(({ id }) => `mem ${shortId(id)}`),
    ...valuesWhere(state.anchor, (each) => isAnchorKept(each) && each.priority === "critical").map(
      ({ key }) => `anchor ${key}`,
    ),
    ...(truth.isScoped ? [] : openConflicts(state).slice(0, 3)).map(({ id }) => `conflict ${shortId(id)}`),
    ...(unmetOf(truth).length === 0 ? [] : ["reminder"]),
  ]
  return ["head", ...wanted].filter((key) => !beliefs.has(key))
}

function unmetOf({ state, head, commitAfterFiles }: Truth): string[] {
  return unmetItems(state, head, commitAfterFiles, undefined)
}

function waitsOf(state: GraphState, { depends_on, temporal_gate }: Task): string[] {
  const all = [...depends_on, ...(temporal_gate === null ? [] : [temporal_gate.after_task_id])]
  return all.filter((id) => !isDoneTask(state.task.get(id))).map(shortId)
}

function waitsTold(beliefs: Beliefs, task: string, state: GraphState): string[] {
  return [...beliefs.keys()].flatMap((key) => {
    const [kind, of, on = ""] = key.split(" ")
    return kind === "wait" && of === task && !isDoneTask(byShort(state.task, on)) ? [on] : []
  })
}

const sorted = (ids: readonly string[]): string => [...new Set(ids)].filter(Boolean).sort().join(" ")

function byShort<T extends { id: string }>(records: ReadonlyMap<string, T>, short = ""): T | undefined {
  return [...records.values()].find(({ id }) => shortId(id) === short)
}

function valuesWhere<T>(records: ReadonlyMap<string, T>, isWanted: (record: T) => boolean): T[] {
  return [...records.values()].filter(isWanted)
}

function progressOf(state: GraphState, phase: string): string {
  const tasks = valuesWhere(state.task, ({ parent_phase_id }) => parent_phase_id === phase)
  return `${tasks.filter(isDoneTask).length}/${tasks.length}`
}

export interface Truth {
  state: GraphState
  head: Trajectory
  archive: ReadonlyMap<string, Mem>
  evidence: (evidence: string) => boolean
  documentOf: (plan: string) => { path: string; edited: string }
  now: number
  commitAfterFiles: number
  isScoped: boolean
  session: string
  detection: Config["detection"]
}

function taskDescription({ describedAs, attributes, text }: Told, task: Task): string[] {
  const { title, reason, expected_output: expected } = task
  if (describedAs === "failed") return differs("text", text, reason === null ? title : `${title} — ${reason}`)
  const isAtHand = describedAs === "task"
  const words = isAtHand && expected !== title ? `${title} — expected: ${expected}` : title
  const file = task.line === null ? (task.file ?? "") : `${task.file}:${task.line}`
  return [
    ...differs("text", text, words),
    ...differs("to", attributes["to"] ?? "", task.assigned_to ?? ""),
    ...differs("file", attributes["file"] ?? "", file),
    ...differs("ahead", attributes["ahead"] ?? "", task.ahead ? "yes" : ""),
    ...(isAtHand ? differs("verify", attributes["verify"] ?? "", task.verify ?? "") : []),
    ...(isAtHand ? differs("locks", attributes["locks"] ?? "", task.file_locks.join(" ")) : []),
  ]
}
