import type { Table } from "./section.ts"

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
