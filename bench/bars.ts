import { figure } from "./format.ts"
import type { Bar } from "./section.ts"
import { renderTable } from "./table.ts"

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
