import { sessionIdOf } from "../../graph/read-head.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { counted } from "../../shared/amounts.ts"
import { cutAt, lineFrom, listFrom, madeOf, objectFrom, piecesOf, textFrom, timeOf } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { memRecord, phaseRecord, planRecord, sessionRecord, taskRecord } from "../make-record.ts"
import { type Known, olderId, wordsKey } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"
import { modeFrom, sessionWithHead } from "./sessions.ts"
import { olderInbox, planWithInbox } from "./tree.ts"

/** `brain.json`: one session with what was measured of it, and where it stood as three lines of text. */
export async function* readBrain(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  const parts = new Map<string, unknown>()
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.index !== null) yield { from, ignore: LIST_REASON }
    else if (item.key !== "version") parts.set(item.key, item.value)
  }
  const session = objectFrom(parts.get("session")) ?? {}
  // A layout has left a copy where the one before it was.
  if (known.session !== null && known.session.file !== file.path && known.session.id === session["id"]) {
    for (const key of parts.keys())
      yield { from: placeIn(file, key), ignore: "another state file of the same session is newer" }
    return
  }
  const hierarchy = objectFrom(parts.get("hierarchy")) ?? {}
  const at = timeOf(session["last_activity"], file.at)
  // The newer one tells what is worked on; that of another layout may be the newer one.
  const isOver = known.session !== null && known.session.file !== file.path && at <= known.session.at
  const made = madeOf({ created: session["start_time"], updated: at }, at)
  const host = cutAt(textFrom(session["id"]) ?? `session-${made.stamp}`, 200)
  const report = reportText(parts.get("next_compaction_report"))
  for (const [key, value] of parts) {
    const from = placeIn(file, key)
    if (key === "session") yield sessionFound(from, session, hierarchy, { host, made, report })
    else if (key === "hierarchy") yield* flatFound(file, hierarchy, { made, at, isOver }, known)
    else if (key === "metrics") yield metricsFound(from, value, { host, made })
    else if (key === "next_compaction_report")
      yield report === null ? { from, ignore: "empty" } : reportFound(from, report, { host, made })
    else yield { from, ignore: "the state of a session that is over" }
  }
}

interface Of {
  host: string
  made: Pick<NewRecordOf<"mem">, "created_at" | "updated_at" | "stamp">
}

function sessionFound(
  from: string,
  session: Record<string, unknown>,
  hierarchy: Record<string, unknown>,
  { host, made, report }: Of & { report: string | null },
): Found {
  const intent = textFrom(hierarchy["trajectory"])
  const record = sessionRecord({
    ...{ id: sessionIdOf(host), host_id: host, ...made, mode: modeFrom(session["mode"]) },
    intent: intent === undefined ? null : piecesOf(intent)[0],
    next_report: report,
  })
  return { from, take: sessionWithHead(record, null) }
}

/** Three lines of text: a plan, a phase and a task, unless the tree has them. */
function* flatFound(
  file: OldFile,
  hierarchy: Record<string, unknown>,
  { made, at, isOver }: Pick<Of, "made"> & { at: string; isOver: boolean },
  known: Known,
): Generator<Found, void, void> {
  const texts = {
    plan: textFrom(hierarchy["trajectory"]),
    phase: textFrom(hierarchy["tactic"]),
    task: textFrom(hierarchy["action"]),
  }
  const from = (level: string) => placeIn(file, `hierarchy.${level}`)
  if (texts.plan === undefined && texts.phase === undefined && texts.task === undefined) {
    yield { from: from("trajectory"), ignore: "empty" }
    return
  }
  const words = texts.plan ?? texts.phase ?? texts.task ?? ""
  const knownPlan = known.titles.get(wordsKey("plan", words))
  const plan = knownPlan ?? olderId("flat plan", words)
  // Another plan may have a phase of the same name.
  const there = (level: "plan" | "phase" | "task") => {
    const text = texts[level]
    return level === "plan" || text === undefined ? knownPlan : known.titles.get(wordsKey(level, text, plan))
  }
  const phase =
    texts.phase === undefined
      ? olderInbox(plan)
      : (there("phase") ?? olderId("flat phase", plan, texts.phase))
  const task = texts.task === undefined ? null : (there("task") ?? olderId("flat task", phase, texts.task))
  const wanted = { plan: words, phase: texts.phase, task: texts.task }
  for (const level of ["plan", "phase", "task"] as const) {
    const text = wanted[level]
    if (text === undefined) continue
    if (there(level) !== undefined) {
      yield { from: from(level), ignore: "the tree or the graph has it too" }
      continue
    }
    const { line: title, whole } = lineFrom(text)
    const rest = whole === undefined ? null : piecesOf(whole)[0]
    const take: Record<typeof level, () => Taken[]> = {
      plan: () =>
        planWithInbox(planRecord({ id: plan, title, summary: rest, ...made, ...(isOver ? OVER.plan : {}) })),
      phase: () => [
        {
          kind: "phase",
          record: phaseRecord({
            id: phase,
            parent_plan_id: plan,
            title,
            summary: rest,
            status: isOver ? "completed" : "active",
            ...made,
          }),
        },
      ],
      task: () => [
        {
          kind: "task",
          record: taskRecord({
            ...{ id: task ?? "", parent_plan_id: plan, parent_phase_id: phase, title, ...made },
            ...{ expected_output: rest ?? title, status: "active" },
            ...(isOver ? OVER.task : {}),
          }),
        },
      ],
    }
    const note = isOver ? { note: "another state file is newer: what this one was at is not open work" } : {}
    yield { from: from(level), take: take[level](), ...note }
    const id = { plan, phase, task: task ?? "" }[level]
    known.titles.set(wordsKey(level, text), id)
    known.titles.set(wordsKey(level, text, plan), id)
  }
  // The tree's cursor says the same, and better.
  if (known.heads.length === 0 && !isOver)
    known.heads.push({
      ...{ from: from("head"), at, plan, intent: cutAt(words, 1000) },
      ...{ phase, tasks: task === null ? [] : [task] },
    })
}

/** What was measured still tells how the session went. */
function metricsFound(from: string, value: unknown, { host, made }: Of): Found {
  const metrics = objectFrom(value) ?? {}
  const number = (name: string) => (typeof metrics[name] === "number" ? (metrics[name] as number) : 0)
  const files = listFrom(metrics["files_touched"], 300)
  const words = [
    number("turn_count") > 0 && counted(number("turn_count"), "turn"),
    number("total_tool_calls") > 0 && counted(number("total_tool_calls"), "tool call"),
    number("violation_count") > 0 && counted(number("violation_count"), "violation"),
    files.length > 0 && `${counted(files.length, "file")} touched: ${files.slice(0, 50).join(", ")}`,
  ].filter((each) => each !== false)
  if (words.length === 0) return { from, ignore: "nothing was measured" }
  const summary = cutAt(`${words.join("; ")}.`, 20_000)
  // Where another file has a summary of the session, that says more.
  const record = sessionRecord({ id: sessionIdOf(host), host_id: host, summary, ...made })
  return { from, take: sessionWithHead(record, null) }
}

function reportFound(from: string, report: string, { host, made }: Of): Found {
  const record = memRecord({
    ...{ id: olderId("report", host, report), content: report, shelf: "reports", session_id: host },
    ...made,
  })
  return { from, take: [{ kind: "mem", record }] }
}

function reportText(value: unknown): string | null {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : textFrom(value)
  return text === undefined ? null : piecesOf(text)[0]
}

const LIST_REASON = "the state of a session that is over"
const WHY_OVER = "Another state file of the project is newer."
const OVER = {
  plan: { status: "archived", reason: WHY_OVER },
  task: { status: "invalidated", reason: WHY_OVER },
} as const
