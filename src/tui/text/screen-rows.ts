import type { Problem } from "../../graph/problem.ts"
import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { duration } from "../../shared/time.ts"
import type { MemRow } from "../../views/look/mems.ts"
import type { PlanRow } from "../../views/look/plans.ts"
import type { RefusalRow } from "../../views/look/refusals.ts"
import type { TaskRow } from "../../views/look/tasks.ts"
import type { ScreenView } from "../read/screen.ts"
import { bar, type Line, line } from "./line.ts"

/** One thing in a list of the screen, which can be chosen; a mem has its id. */
export interface Row {
  lines: Line[]
  mem?: string
}

/** `width` is in columns. */
export function screenRows(view: ScreenView, now: number, width: number): Row[] {
  const rows = rowsOf(view, now, width)
  return rows.length > 0 ? rows : [{ lines: [line(NOTHING[view.tab], "muted")] }]
}

function rowsOf(view: ScreenView, now: number, width: number): Row[] {
  switch (view.tab) {
    case "plans":
      return withRest(
        view.plans.items.map((plan) => planRow(plan, view.tasks.get(plan.id) ?? [], now, width)),
        view.plans.more,
        "hivemind plans",
      )
    case "memory":
      return withRest(
        view.mems.items.map((mem) => memRow(mem, now, width)),
        view.mems.more,
        "hivemind memory",
      )
    case "refusals":
      return view.refusals.map((refusal) => refusalRow(refusal, now, width))
    case "quarantine":
      return withRest(
        view.problems.map((problem) => problemRow(problem, width)),
        view.unlisted,
        "hivemind doctor",
      )
  }
}

function planRow(plan: PlanRow, tasks: TaskRow[], now: number, width: number): Row {
  const { title, status, tasks: count, sessions, updated_at, isOpen } = plan
  const facts = [
    status,
    ...(count.all === 0
      ? ["no tasks yet"]
      : [`${bar(count.done, count.all, 10)} ${count.done} of ${counted(count.all, "task")} done`]),
    `${duration(now - Date.parse(updated_at))} ago`,
    ...(sessions.length === 0 ? [] : [`session ${sessions.join(", ")}`]),
  ]
  return {
    lines: [
      line(shorten(title, width), isOpen ? "title" : "muted"),
      line(`  ${shorten(facts.join(" · "), width - 2)}`, "muted"),
      ...tasks.map((task) => taskLine(task, width)),
    ],
  }
}

function taskLine({ title, status, waits, held_by }: TaskRow, width: number): Line {
  const [mark, tone] = TASK_MARKS[status] ?? (["→", "text"] as const)
  const after = [...(waits === null ? [] : [waits]), ...(held_by === null ? [] : [`session ${held_by}`])]
  return line(`  ${mark} ${shorten([title, ...after].join(": "), width - 4)}`, tone)
}

const TASK_MARKS: Partial<Record<TaskRow["status"], readonly [string, Line["tone"]]>> = {
  active: ["▶", "accent"],
  review: ["▶", "accent"],
  blocked: ["■", "warning"],
}

function memRow(
  { id, short, kind, shelf, content, created_at, evidence }: MemRow,
  now: number,
  width: number,
): Row {
  const facts = [short, kind, shelf, `${duration(now - Date.parse(created_at))} ago`, ...evidence.slice(0, 2)]
  return {
    mem: id,
    lines: [line(shorten(content, width)), line(`  ${shorten(facts.join(" · "), width - 2)}`, "muted")],
  }
}

function refusalRow(
  { what, why, at, tool, agent, times, lift }: RefusalRow,
  now: number,
  width: number,
): Row {
  const facts = [
    `${duration(now - Date.parse(at))} ago`,
    tool,
    ...(agent === null ? [] : [agent]),
    ...(times > 1 ? [`${times} times`] : []),
    why,
  ]
  return {
    lines: [
      line(shorten(what, width), "warning"),
      line(`  ${shorten(facts.join(" · "), width - 2)}`, "muted"),
      ...(lift === null ? [] : [line(`  to allow it: ${shorten(lift, width - 15)}`, "muted")]),
    ],
  }
}

function problemRow({ level, file, kind, id, reason }: Problem, width: number): Row {
  const record = kind === null || id === null ? "" : ` ${kind} ${shortId(id)}`
  return {
    lines: [
      line(shorten(`.hivemind/${file}${record}`, width), level === "quarantined" ? "bad" : "warning"),
      line(`  ${shorten(reason, width - 2)}`, "muted"),
    ],
  }
}

function withRest(rows: Row[], rest: number, command: string): Row[] {
  return rest > 0 ? [...rows, { lines: [line(`and ${rest} more: \`${command}\``, "muted")] }] : rows
}

const NOTHING: Record<ScreenView["tab"], string> = {
  plans: "No plans yet: the first session that plans makes one.",
  memory: "No mems yet: what agents find out is kept here.",
  refusals: "Nothing was refused.",
  quarantine: "All files are in order.",
}
