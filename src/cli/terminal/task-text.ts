import type { Checkpoint } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import type { TaskDetail, TaskRow } from "../../views/look/tasks.ts"
import { fewOf, memLine, refusalLine, spentText } from "./detail-text.ts"
import { rowsWith, type Style } from "./style.ts"

/** `0a1b2c3d  active   Build login`, and where it belongs, who has it, what it waits for. */
export function taskLines(task: TaskRow, style: Style): string[] {
  const { short, status, title, plan, phase, held_by, assigned_to, waits, checkpoints } = task
  const facts = [
    [plan?.title, phase].filter((each) => each != null).join(" / "),
    ...(held_by === null ? [] : [`session ${held_by}`]),
    ...(assigned_to === null ? [] : [`for ${assigned_to}`]),
    ...(checkpoints === 0 ? [] : [counted(checkpoints, "checkpoint")]),
    ...(waits === null ? [] : [waits]),
  ]
  return [
    `${style("cyan", short)} ${status.padEnd(STATUS_WIDTH)} ${style("bold", shorten(title, MAX_TITLE))}`,
    `${" ".repeat(short.length + STATUS_WIDTH + 2)}${style("dim", facts.map((each) => shorten(each, MAX_FACT)).join(" · "))}`,
  ]
}

export function taskDetailText(detail: TaskDetail, style: Style): string {
  const { record, did, files, parts, mems, delegations, refusals, spent } = detail
  const row = rowsWith(style, LABEL_WIDTH)
  const one = (label: string, value: string | null) => row(label, value === null ? [] : [value])
  return [
    ...taskLines(detail, style),
    "",
    ...one("expected", record.expected_output),
    ...one("check", record.verify),
    ...row("after", record.depends_on.map(shortId)),
    ...row("locks", record.file_locks),
    ...one("started", time(record.started_at)),
    ...one("completed", time(record.completed_at)),
    ...one("evidence", record.evidence),
    ...one("reason", record.reason),
    ...one("spent", spent === null ? null : spentText(spent)),
    ...row("checkpoints", fewOf(did.toReversed(), checkpointLine)),
    ...row(
      "files",
      fewOf(files, (file) => file),
    ),
    ...row(
      "parts",
      fewOf(parts, (part) => `${part.short} ${part.status} ${part.title}`),
    ),
    ...row("mems", fewOf(mems, memLine)),
    ...row(
      "handed on",
      fewOf(delegations, ({ to_agent, status }) => `${to_agent}: ${status}`),
    ),
    ...row("refused", fewOf(refusals, refusalLine)),
  ].join("\n")
}

function checkpointLine({ created_at, summary, ok, run }: Checkpoint): string {
  const ended = run === null ? (ok ? "" : " (failed)") : ` (exit ${run.exit})`
  return `${localTime(created_at)} ${shorten(summary, MAX_FACT)}${ended}`
}

function time(at: string | null): string | null {
  return at === null ? null : localTime(at)
}

const STATUS_WIDTH = 9
const MAX_TITLE = 90
const MAX_FACT = 120
const LABEL_WIDTH = 13
