import type { OpenDecision } from "../../dashboard/answers/model.ts"
import type { Problem } from "../../graph/problem.ts"
import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { readableStamp } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { MemRow } from "../../views/lists/mems.ts"
import type { Page } from "../../views/lists/page.ts"
import type { PlanRow } from "../../views/lists/plans.ts"
import type { RefusalRow } from "../../views/lists/refusals.ts"
import type { OpenConflict, OpenTask, ScreenView } from "../read/screen.ts"
import { ago, bar, type Line, line, type Row } from "./lines.ts"

/** `width` is in columns. */
export function screenRows(view: ScreenView, now: number, width: number): Row[] {
  const rows = rowsOf(view, now, width)
  return rows.length > 0 ? rows : [{ lines: [line(NOTHING[view.tab], "muted")] }]
}

function rowsOf(view: ScreenView, now: number, width: number): Row[] {
  switch (view.tab) {
    case "plans": {
      const rows = view.plans.items.flatMap((plan) => planRows(plan, view.tasks.get(plan.id), now, width))
      return [...rows, ...moreRow(view.plans.more, "hivemind plans")]
    }
    case "memory": {
      const rows = view.mems.items.map((mem) => memRow(mem, now, width))
      return [...rows, ...moreRow(view.mems.more, "hivemind memory")]
    }
    case "to decide":
      return [
        ...view.decisions.map((decision) => decisionRow(decision, now, width)),
        ...view.conflicts.map((conflict) => conflictRow(conflict, now, width)),
      ]
    case "refusals":
      return view.refusals.map((refusal) => refusalRow(refusal, now, width))
    case "quarantine": {
      const rows = view.problems.map((problem) => problemRow(problem, width))
      return [...rows, ...moreRow(view.unlisted, "hivemind doctor")]
    }
  }
}

/** A row of a first line and muted lines below it, cut off at `width`. */
function rowOf(first: Line, below: readonly string[], width: number, rest: Omit<Row, "lines">): Row {
  return {
    ...rest,
    lines: [
      line(shorten(first.text, width), first.tone),
      ...below.map((text) => line(`  ${shorten(text, width - 2)}`, "muted")),
    ],
  }
}

function memRow(mem: MemRow, now: number, width: number): Row {
  const { id, short, kind, shelf, content, tags, created_at, evidence } = mem
  const facts = [short, kind, shelf, ago(created_at, now)]
  return rowOf(line(content), [[...facts, ...evidence.slice(0, 2)].join(" · ")], width, {
    of: { kind: "mem", id, content },
    whole: [
      content,
      [...facts, ...tags].join(" · "),
      ...(evidence.length === 0 ? [] : [`Rests on: ${evidence.join(", ")}`]),
    ],
  })
}

function refusalRow(refusal: RefusalRow, now: number, width: number): Row {
  const { what, why, use_instead, evidence, at, tool, agent, times, lift } = refusal
  const called = [tool, ...(agent === null ? [] : [agent]), ...(times > 1 ? [`${times} times`] : [])]
  const facts = [ago(at, now), ...called]
  const allow = lift === null ? [] : [`to allow it: ${lift}`]
  return rowOf(line(what, "warning"), [[...facts, why].join(" · "), ...allow], width, {
    whole: [what, why, `Instead: ${use_instead}`, evidence, facts.join(" · "), ...allow],
  })
}

function problemRow({ level, file, kind, id, reason, raw }: Problem, width: number): Row {
  const record = kind === null || id === null ? "" : ` ${kind} ${shortId(id)}`
  const where = `.hivemind/${file}${record}`
  return rowOf(line(where, level === "quarantined" ? "bad" : "warning"), [reason], width, {
    whole: [where, reason, ...(raw === null ? [] : [shorten(raw, MAX_RAW)])],
  })
}

/** A question that agents have left to a person. */
function decisionRow({ id, content, at, keeps }: OpenDecision, now: number, width: number): Row {
  const titles = keeps.map(({ title }) => title).join(", ")
  const facts = `open, ${ago(at, now)}${titles === "" ? "" : ` · keeps: ${titles}`}`
  return rowOf(line(`? ${content}`, "warning"), [facts], width, {
    of: { kind: "decision", id, content },
    whole: [content, facts],
  })
}

/** Two clones wrote different things into one record. */
function conflictRow({ id, record, stands, lost, at }: OpenConflict, now: number, width: number): Row {
  const sides = [`stands: ${stands}`, `lost: ${lost}`]
  return rowOf(line(`≠ ${record}`, "warning"), sides, width, {
    of: { kind: "conflict", id, stands, lost },
    whole: [record, ...sides, ago(at, now)],
  })
}

function moreRow(more: number, command: string, indent = ""): Row[] {
  return more > 0 ? [{ lines: [line(`${indent}and ${more} more: \`${command}\``, "muted")] }] : []
}

/** A plan with its open tasks below it. */
function planRows(plan: PlanRow, tasks: Page<OpenTask> | undefined, now: number, width: number): Row[] {
  const { title, status, tasks: count, sessions, updated_at, isOpen } = plan
  const facts = [
    status,
    count.all === 0
      ? "no tasks yet"
      : `${bar(count.done, count.all, 10)} ${count.done} of ${counted(count.all, "task")} done`,
    ago(updated_at, now),
    ...(sessions.length === 0 ? [] : [`session of ${sessions.map(readableStamp).join(", ")}`]),
  ].join(" · ")
  return [
    rowOf(line(title, isOpen ? "title" : "muted"), [facts], width, { whole: [title, facts] }),
    ...(tasks?.items ?? []).map((task) => taskRow(task, width)),
    ...moreRow(tasks?.more ?? 0, "hivemind tasks", "    "),
  ]
}

function taskRow(task: OpenTask, width: number): Row {
  const { id, title, status, waits, held_by, expected, isHeld } = task
  const [mark, tone] = TASK_MARKS[status] ?? (["→", "text"] as const)
  const after = [
    ...(waits === null ? [] : [waits]),
    ...(held_by === null ? [] : [`session of ${readableStamp(held_by)}`]),
  ]
  const oneLine = [title, ...after].join(": ")
  const isOneLine = oneLine.length <= width - 4 || after.length === 0
  // Why it waits gets a line of its own rather than being cut off.
  const below = isOneLine ? [] : [line(`      ${shorten(after.join(": "), width - 6)}`, "muted")]
  return {
    lines: [line(`  ${mark} ${shorten(isOneLine ? oneLine : title, width - 4)}`, tone), ...below],
    whole: [title, status, ...after, `Expected: ${expected}`],
    of: { kind: "task", id, title, isHeld },
  }
}

const TASK_MARKS: Partial<Record<OpenTask["status"], readonly [string, Line["tone"]]>> = {
  active: ["▶", "accent"],
  review: ["▶", "accent"],
  blocked: ["■", "warning"],
}
const NOTHING: Record<ScreenView["tab"], string> = {
  plans: "No plans yet: the first session that plans makes one.",
  memory: "No mems yet: findings of agents are kept here.",
  refusals: "Nothing was refused.",
  quarantine: "All files are in order.",
  "to decide": "Nothing waits for you.",
}
const MAX_RAW = 2000
