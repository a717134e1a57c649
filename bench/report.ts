import { figure } from "./figures.ts"
import type { Bar, Table } from "./section.ts"

/** Columns as wide as they need; the first to the left, figures to the right. */
export function renderTable({ head, rows }: Table): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? ""
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join("  ")
      .trimEnd()
  const rule = widths.map((width) => "-".repeat(width)).join("  ")
  return [line(head), rule, ...rows.map(line)].map((each) => `  ${each}\n`).join("")
}

export function isMet({ value, atLeast, atMost }: Bar): boolean {
  if (value === undefined) return false
  // A figure that came to nothing is NaN: not met.
  return value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY)
}

/** What a whole run says at its end. A bar that was not measured is neither met nor missed. */
export function verdictOn(bars: readonly Bar[]): string {
  if (bars.length === 0) return "No bar was measured: the data that these sections need is not there."
  const missed = bars.filter((bar) => isMissed(bar))
  const unmeasured = bars.filter(({ value }) => value === undefined)
  const lines = [
    ...(missed.length > 0 ? [`MISSED:\n${renderBars(missed)}`] : []),
    ...(unmeasured.length > 0 ? [`NOT MEASURED:\n${renderBars(unmeasured)}`] : []),
  ]
  if (missed.length > 0) return lines.join("\n")
  return [unmeasured.length === 0 ? "All bars met." : "All bars that were measured are met.", ...lines].join(
    "\n",
  )
}

export function isMissed(bar: Bar): boolean {
  return bar.value !== undefined && !isMet(bar)
}

export function barText({ atLeast, atMost, unit }: Bar): string {
  const limits = [
    ...(atLeast === undefined ? [] : [`≥ ${figure(atLeast)}`]),
    ...(atMost === undefined ? [] : [`≤ ${figure(atMost)}`]),
  ]
  return `${limits.join(", ")} ${unit}`.trim()
}

export function renderBars(bars: readonly Bar[]): string {
  if (bars.length === 0) return ""
  return renderTable({
    head: ["bar", "measured", "wanted", ""],
    rows: bars.map((bar) => [
      bar.what,
      bar.value === undefined ? "" : `${figure(bar.value)} ${bar.unit}`.trim(),
      barText(bar),
      bar.value === undefined ? "not measured" : isMet(bar) ? "met" : "MISSED",
    ]),
  })
}
