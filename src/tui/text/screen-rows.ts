import type { Problem } from "../../graph/problem.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { MemRow } from "../../views/look/mems.ts"
import type { RefusalRow } from "../../views/look/refusals.ts"
import type { ScreenView } from "../read/screen.ts"
import { conflictRow, decisionRow } from "./decide-rows.ts"
import { line } from "./line.ts"
import { planRows } from "./plan-rows.ts"
import { ago, type Row } from "./row.ts"

/** `width` is in columns. */
export function screenRows(view: ScreenView, now: number, width: number): Row[] {
  const rows = rowsOf(view, now, width)
  return rows.length > 0 ? rows : [{ lines: [line(NOTHING[view.tab], "muted")] }]
}

function rowsOf(view: ScreenView, now: number, width: number): Row[] {
  switch (view.tab) {
    case "plans":
      return withRest(
        view.plans.items.flatMap((plan) => planRows(plan, view.tasks.get(plan.id), now, width)),
        view.plans.more,
        "hivemind plans",
      )
    case "memory":
      return withRest(
        view.mems.items.map((mem) => memRow(mem, now, width)),
        view.mems.more,
        "hivemind memory",
      )
    case "to decide":
      return [
        ...view.decisions.map((decision) => decisionRow(decision, now, width)),
        ...view.conflicts.map((conflict) => conflictRow(conflict, now, width)),
      ]
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

function memRow(
  { id, short, kind, shelf, content, tags, created_at, evidence }: MemRow,
  now: number,
  width: number,
): Row {
  const facts = [short, kind, shelf, ago(created_at, now)]
  return {
    of: { kind: "mem", id, content },
    whole: [
      content,
      [...facts, ...tags].join(" · "),
      ...(evidence.length === 0 ? [] : [`Rests on: ${evidence.join(", ")}`]),
    ],
    lines: [
      line(shorten(content, width)),
      line(`  ${shorten([...facts, ...evidence.slice(0, 2)].join(" · "), width - 2)}`, "muted"),
    ],
  }
}

function refusalRow(
  { what, why, use_instead, evidence, at, tool, agent, times, lift }: RefusalRow,
  now: number,
  width: number,
): Row {
  const facts = [
    ago(at, now),
    tool,
    ...(agent === null ? [] : [agent]),
    ...(times > 1 ? [`${times} times`] : []),
  ]
  const allow = lift === null ? [] : [`to allow it: ${lift}`]
  return {
    whole: [what, why, `Instead: ${use_instead}`, evidence, facts.join(" · "), ...allow],
    lines: [
      line(shorten(what, width), "warning"),
      line(`  ${shorten([...facts, why].join(" · "), width - 2)}`, "muted"),
      ...allow.map((each) => line(`  ${shorten(each, width - 2)}`, "muted")),
    ],
  }
}

function problemRow({ level, file, kind, id, reason, raw }: Problem, width: number): Row {
  const record = kind === null || id === null ? "" : ` ${kind} ${shortId(id)}`
  const where = `.hivemind/${file}${record}`
  return {
    whole: [where, reason, ...(raw === null ? [] : [shorten(raw, MAX_RAW)])],
    lines: [
      line(shorten(where, width), level === "quarantined" ? "bad" : "warning"),
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
  "to decide": "Nothing waits for you.",
}
const MAX_RAW = 2000
