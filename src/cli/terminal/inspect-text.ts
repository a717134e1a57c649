import { shorten } from "../../shared/text/clean.ts"
import { countsText } from "../../views/hierarchy/counts.ts"
import type { Deep } from "../../views/inspect/deep.ts"
import type { Scan } from "../../views/inspect/scan.ts"
import type { DriftReport } from "../../watch/drift-report.ts"
import { rowsWith, type Style } from "./style.ts"

export function scanText(scan: Scan, style: Style): string {
  const row = rowsWith(style, 13)
  return [
    ...row("session", scan.session === null ? [] : [scan.session]),
    ...row("intent", scan.intent === null ? [] : [scan.intent]),
    ...row("place", scan.place.length === 0 ? ["nowhere in the plans yet"] : scan.place),
    ...row("graph", [countsText(scan.counts)]),
    ...row("needs a look", scan.look.length === 0 ? [style("green", "nothing")] : scan.look),
    ...row("undecided", scan.open_decisions),
    ...row("delegated", scan.delegations),
    ...row("to refresh", scan.refresh),
    ...row(
      "problems",
      scan.problems.map((line) => style("red", line)),
    ),
  ].join("\n")
}

export function deepText({ kind, id, record, ...around }: Deep, style: Style): string {
  const fields = Object.entries(record)
  const links = (groups: Record<string, string[]> | undefined, mark: string): [string, string[]][] =>
    Object.entries(groups ?? {}).map(([field, lines]) => [`${mark} ${field}`, lines])
  const sections: [string, string[]][] = [
    ...fields.map(([field, value]): [string, string[]] => [field, valueLines(value)]),
    ["", [""]],
    ["above", around.path ?? []],
    ["beside", around.siblings ?? []],
    ["below", around.children ?? []],
    ...links(around.links, "→"),
    ...links(around.linked_from, "←"),
  ]
  const row = rowsWith(style, Math.max(...sections.map(([label]) => label.length)) + 2)
  const lines = sections.flatMap(([label, values]) => row(label, values).map((line) => line.trimEnd()))
  return [style("bold", `${kind} ${id}`), ...lines].join("\n").trimEnd()
}

export function driftText(report: DriftReport, style: Style): string {
  const row = rowsWith(style, 13)
  const { drift, health, governance, warnings, acknowledged, calls } = report
  const score = ({ score, moved }: DriftReport["drift"]) => [
    `${score} of 100`,
    ...moved.map(({ by, why }) => `${by < 0 ? "" : "+"}${by}  ${why}`),
  ]
  const warningText = (each: DriftReport["warnings"][number]) =>
    `${each.signal} (${each.severity}${each.shown_to === "model" ? "" : ", not told to the model"}): ${each.text}`
  return [
    ...row("session", [report.session ?? "none yet"]),
    ...row("drift", score(drift)),
    ...row("health", score(health)),
    ...row("governance", [governance]),
    ...row(
      "warnings",
      warnings.length === 0
        ? [style("green", "none")]
        : warnings.map((each) => style("yellow", warningText(each))),
    ),
    ...row("acknowledged", acknowledged.map(warningText)),
    ...row("calls", [callsText(calls)]),
  ].join("\n")
}

/** `9: 1 write, 8 governance, 1 failed`. */
function callsText({ all, ...each }: DriftReport["calls"]): string {
  return all === 0 ? "none" : `${all}: ${pairs(each)}`
}

/** `3 active, 1 failed`. */
function pairs(counts: Record<string, number>): string {
  return Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name}`)
    .join(", ")
}

/** A list of records has a line for each, and their values say what they are without their names. */
function valueLines(value: unknown): string[] {
  if (!Array.isArray(value) || value.every((each) => typeof each !== "object")) return [valueText(value)]
  return value.map((each) =>
    typeof each === "object" && each !== null
      ? Object.values(each).map(valueText).join("  ")
      : valueText(each),
  )
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join("; ")
  if (typeof value !== "object" || value === null) return shorten(String(value), MAX_VALUE)
  return Object.entries(value)
    .map(([name, each]) => `${name} ${valueText(each)}`)
    .join(", ")
}

const MAX_VALUE = 240
