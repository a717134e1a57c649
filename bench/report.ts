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
  // A figure that could not be measured is NaN: not met.
  return value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY)
}

export function barText({ atLeast, atMost, unit }: Bar): string {
  const limits = [
    ...(atLeast === undefined ? [] : [`≥ ${figure(atLeast)}`]),
    ...(atMost === undefined ? [] : [`≤ ${figure(atMost)}`]),
  ]
  return `${limits.join(", ")} ${unit}`.trim()
}

export function renderBars(bars: Bar[]): string {
  if (bars.length === 0) return ""
  return renderTable({
    head: ["bar", "measured", "wanted", ""],
    rows: bars.map((bar) => [
      bar.what,
      `${figure(bar.value)} ${bar.unit}`.trim(),
      barText(bar),
      isMet(bar) ? "met" : "MISSED",
    ]),
  })
}
