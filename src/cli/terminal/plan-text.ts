import { counted } from "../../shared/amounts.ts"
import { shorten } from "../../shared/text/clean.ts"
import { duration } from "../../shared/time.ts"
import type { PlanDetail, PlanRow } from "../../views/look/plans.ts"
import { fewOf, memLine, refusalLine, spentText } from "./detail-text.ts"
import { rowsWith, type Style } from "./style.ts"

/** `0a1b2c3d  ▶ Login  3 of 7 tasks done, 1 under way, active, 5 min ago`, and who is at it. */
export function planLines(plan: PlanRow, now: number, style: Style): string[] {
  const { short, title, status, tasks, sessions, updated_at, isOpen } = plan
  const facts = [
    status,
    progressText(tasks),
    `${duration(now - Date.parse(updated_at))} ago`,
    ...(sessions.length === 0 ? [] : [`session ${sessions.join(", ")}`]),
  ]
  const mark = sessions.length > 0 ? "▶" : " "
  const name = shorten(title, MAX_TITLE)
  return [
    `${style("cyan", short)} ${style("green", mark)} ${isOpen ? style("bold", name) : name}`,
    `${" ".repeat(short.length)}   ${style("dim", facts.join(" · "))}`,
  ]
}

function progressText({ all, done, given_up, under_way }: PlanRow["tasks"]): string {
  if (all === 0) return "no tasks yet"
  return [
    `${done} of ${counted(all, "task")} done`,
    ...(under_way === 0 ? [] : [`${under_way} under way`]),
    ...(given_up === 0 ? [] : [`${given_up} given up`]),
  ].join(", ")
}

export function planDetailText(detail: PlanDetail, tree: string[], now: number, style: Style): string {
  const { record, files, mems, refusals, spent } = detail
  const row = rowsWith(style, LABEL_WIDTH)
  return [
    ...planLines(detail, now, style),
    "",
    ...row("accepted if", record.acceptance),
    ...row("document", record.sot_document_path === null ? [] : [record.sot_document_path]),
    ...row("after plans", record.depends_on),
    ...row("branch", record.branch === null ? [] : [record.branch]),
    ...row("reason", record.reason === null ? [] : [record.reason]),
    ...row("spent", spent === null ? [] : [spentText(spent)]),
    ...row(
      "files",
      fewOf(files, (file) => file),
    ),
    ...row("mems", fewOf(mems, memLine)),
    ...row("refused", fewOf(refusals, refusalLine)),
    ...(tree.length === 0 ? [] : ["", ...tree]),
  ].join("\n")
}

const MAX_TITLE = 90
const LABEL_WIDTH = 13
