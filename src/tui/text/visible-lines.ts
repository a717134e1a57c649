import type { Line } from "./line.ts"
import type { Row } from "./screen-rows.ts"

/** The lines that fit on `height`, with the chosen row in sight and marked. */
export function visibleLines(rows: readonly Row[], chosen: number, height: number): Line[] {
  const all = rows.flatMap(({ lines }, row) =>
    lines.map(({ text, tone }, index) => {
      const mark = row === chosen ? (index === 0 ? "› " : "  ") : "  "
      return {
        row,
        line: { text: `${mark}${text}`, tone: row === chosen && index === 0 ? ("accent" as const) : tone },
      }
    }),
  )
  const first = all.findIndex(({ row }) => row === chosen)
  const last = all.findLastIndex(({ row }) => row === chosen)
  // As far up as the chosen row lets it; a row that is longer than the screen begins at its top.
  const from = Math.max(0, Math.min(Math.max(0, last + 1 - height), first))
  return all.slice(from, from + height).map(({ line }) => line)
}
