import type { Report } from "../../migrate/report.ts"
import { kinds, sectionNames } from "../../schemas/records.ts"
import type { Style } from "./style.ts"

/** What became of every record of old files or another tool: all are counted, in groups that add up. */
export function reportText(report: Report, style: Style): string[] {
  const { total, taken, already, quarantined, ignored } = report.sources
  const counts = [
    [taken, "taken over"],
    [already, "already there"],
    [quarantined, "in quarantine"],
    [ignored, "left out"],
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`)
  return [
    `${total} records found${parts.length === 0 ? "." : `: ${parts.join(", ")}.`}`,
    ...madeLines(report),
    ...listed(
      report.notes.map(({ note, count, example }) => `${note} (${count}; ${example})`),
      "Changed to fit:",
      style,
    ),
    ...listed(
      report.ignored.map(({ reason, count, example }) => `${reason} (${count}; ${example})`),
      "Left out:",
      style,
    ),
    ...listed(
      report.quarantined.map(({ from, reason }) => `${from}: ${reason}`),
      "In quarantine:",
      style,
      quarantined,
    ),
  ]
}

function madeLines({ taken }: Report): string[] {
  const made = kinds.flatMap((kind) => {
    const count = taken[kind] ?? 0
    return count === 0 || kind === "trajectory" ? [] : [`${count} ${count === 1 ? kind : sectionNames[kind]}`]
  })
  const settings = taken.setting ?? 0
  const all = settings === 0 ? made : [...made, `${settings} settings`]
  return all.length === 0 ? [] : [`They are now: ${all.join(", ")}.`]
}

function listed(lines: readonly string[], title: string, style: Style, total = lines.length): string[] {
  if (lines.length === 0) return []
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`)
  const more = total - shown.length
  return [
    "",
    style("bold", title),
    ...shown,
    ...(more > 0 ? [style("dim", `  and ${more} more (\`--json\`)`)] : []),
  ]
}

const MAX_LINES = 12
