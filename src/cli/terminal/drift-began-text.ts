import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import { counted } from "../../shared/amounts.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import type { DriftBegan } from "../../views/context/drift-began.ts"
import { describeEntries } from "../../views/log/log-entries.ts"
import { rowsWith, type Style } from "./style.ts"

/** The turn where drift began, and what happened there. */
export function driftBeganText(
  { session, points, began }: DriftBegan,
  state: GraphState,
  style: Style,
): string {
  const row = rowsWith(style, LABEL_WIDTH)
  const scores = points.map(({ turn, score }) => `${turn ?? "now"}: ${score}`).slice(-MAX_POINTS)
  if (began === null)
    return [...row("session", [session]), ...row("drift", ["none: the session is on its course"])].join("\n")
  const { turn, at, until, score, signals, isOver, entries, told, calls, found } = began
  const where = turn === null ? "before the first turn that was measured" : `in turn ${turn}`
  const happened = [
    ...(calls === null || calls.all === 0 ? [] : [callsLine(calls)]),
    ...found,
    ...[...entryLines(entries, state), ...told.map(toldLine)].sort(),
  ]
  return [
    ...row("session", [session]),
    ...row("by turn", [scores.join(", ")]),
    ...row("began", [`${where}, ${localTime(at)} to ${localTime(until)}${isOver ? "; it is over" : ""}`]),
    ...row("drift", [`0 to ${score} of 100, by ${signals.join(", ")}`]),
    ...row("what happened", happened.length === 0 ? ["nothing that was written down"] : happened),
    ...(turn === null ? [] : row("more", [`\`hivemind replay ${turn} --session ${session}\``])),
  ].join("\n")
}

function entryLines(entries: readonly Entry[], state: GraphState): string[] {
  return describeEntries([...entries], new Set(entries), state).flatMap(({ entry, changes }) =>
    changes.map((change) => `${localTime(entry.at)} ${entry.by.tool}: ${change}`),
  )
}

function toldLine({ at, kind, tool, text }: NonNullable<DriftBegan["began"]>["told"][number]): string {
  return `${localTime(at)} ${kind}${tool === null ? "" : ` ${tool}`}: ${shorten(text, MAX_TEXT)}`
}

function callsLine({ all, failed }: { all: number; failed: number }): string {
  return failed === 0
    ? `${counted(all, "call")}, none of them failed`
    : `${failed} of ${counted(all, "call")} failed`
}

const LABEL_WIDTH = 15
const MAX_POINTS = 30
const MAX_TEXT = 160
