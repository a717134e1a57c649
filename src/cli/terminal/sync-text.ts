import { isStanding } from "../../graph/conflict-standing.ts"
import { isBase } from "../../graph/merge/base.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import type { Entry } from "../../schemas/entry.ts"
import { counted } from "../../shared/amounts.ts"
import { localTime } from "../../shared/time.ts"
import type { SyncPreview } from "../../sync/preview.ts"
import type { SyncReport } from "../../sync/sync.ts"
import { describeEntries } from "../../views/log/log-entries.ts"
import type { Style } from "./style.ts"

/** What a sync has done, a line for each thing. */
export function syncText(report: SyncReport, state: GraphState, style: Style): string {
  const { saved, brought, from, unreadable, conflicts, rebuilt } = report
  const open = conflicts.filter((each) => isStanding(each, state)).length
  const noted = conflicts.filter(({ status }) => status === "noted").length
  const lines = [
    ...rebuilt.map((ref) => style("yellow", `Git could not read ${ref}: it was made again from the log.`)),
    ...sentLines(report, style),
    ...(report.remote === null && saved > 0 ? [`${entries(saved)} saved in the repository's log.`] : []),
    ...(brought > 0 ? [`${entries(brought)} came from ${counted(from.length, "clone")}.`] : []),
    ...(open > 0
      ? [style("yellow", `${counted(open, "conflict")}: settle with \`hivemind conflicts\`.`)]
      : []),
    ...(noted > 0
      ? [style("dim", `${noted} settled by rule; \`hivemind conflicts --all\` shows them.`)]
      : []),
    ...(unreadable > 0 ? [style("yellow", unreadableText(unreadable))] : []),
    ...(report.junk > 0 ? [style("yellow", junkText(report.junk))] : []),
  ]
  return lines.length === 0 ? "Nothing new." : lines.join("\n")
}

function sentLines({ remote, push, sent, brought, saved }: SyncReport, style: Style): string[] {
  switch (push) {
    case "pushed":
      return [`${entries(sent)} sent to ${remote}.`]
    case "nothing":
      return brought + saved === 0 ? [`Nothing new here or at ${remote}.`] : []
    case "kept":
      return [
        style("yellow", `Nothing was sent: ${remote} has no log yet, and the first time needs your word.`),
        "`hivemind sync --yes` sends it. All else is done.",
      ]
    case "none":
      return remote === null ? ["No remote: the log is kept in this repository only."] : []
  }
}

/** The same for programs. */
export function syncData(report: SyncReport, state: GraphState) {
  const { remote, push, saved, sent, brought, from, unreadable, conflicts, rebuilt } = report
  const pick = ({ id, rule, kind, record_id, status }: Conflict) => ({ id, rule, kind, record_id, status })
  const open = conflicts.filter((each) => isStanding(each, state)).map(pick)
  const { junk } = report
  return { remote, push, saved, sent, brought, from, unreadable, junk, rebuilt, conflicts: open }
}

/** What a sync would do. */
export function previewText(preview: SyncPreview, state: GraphState, style: Style): string {
  const { remote, going, coming, unreadable, isFirst } = preview
  const where = remote === null ? "into the repository's log (there is no remote)" : `to ${remote}`
  return [
    going.length === 0 ? "Nothing would go." : `${entries(going.length)} would go ${where}:`,
    ...groupLines(going, state, style),
    ...(isFirst ? [style("yellow", `${remote} has no log yet: a sync asks before it sends one.`)] : []),
    coming.length === 0 ? "Nothing would come." : `${entries(coming.length)} would come:`,
    ...groupLines(coming, state, style),
    ...(unreadable > 0 ? [style("yellow", unreadableText(unreadable))] : []),
    ...(preview.junk > 0 ? [style("yellow", junkText(preview.junk))] : []),
  ].join("\n")
}

/** Per clone, the first few of each. */
function groupLines(all: Entry[], state: GraphState, style: Style): string[] {
  const nameOf = (entry: Entry) => (isBase(entry) ? "from an older version" : `clone ${entry.writer}`)
  return [...new Set(all.map(nameOf))].flatMap((name) => {
    const own = all.filter((entry) => nameOf(entry) === name)
    const shown = describeEntries(own, new Set(own.slice(0, MAX_SHOWN)), state)
    const lines = shown.map(({ entry, changes }) => {
      const more = changes.length > 1 ? style("dim", ` and ${changes.length - 1} more`) : ""
      return `    ${style("dim", localTime(entry.at))}  ${changes[0] ?? "nothing"}${more}`
    })
    const rest = own.length - shown.length
    return [
      `  ${style("cyan", name)}: ${entries(own.length)}`,
      ...lines,
      ...(rest > 0 ? [`    and ${rest} more`] : []),
    ]
  })
}

function junkText(lines: number): string {
  return `${counted(lines, "line")} in the log of other clones ${lines === 1 ? "is no entry" : "are no entries"} of any HiveMind: damaged, or written by something else. Passed over.`
}

function unreadableText(lines: number): string {
  return `${counted(lines, "line")} of a newer HiveMind cannot be read. Update hivemind-opencode; they are kept and tried again.`
}

function entries(n: number): string {
  return counted(n, "entry", "entries")
}

const MAX_SHOWN = 10
