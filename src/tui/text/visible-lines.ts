import { type Line, line } from "./line.ts"
import type { Row } from "./row.ts"
import { wrap } from "./wrap.ts"

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

/** All of one row. */
export function wholeRow({ lines, whole }: Row, width: number): Line[] {
  const [first = "", ...rest] = whole ?? lines.map(({ text }) => text.trim())
  return [
    ...wrap(first, width).map((text) => line(text, "title")),
    ...rest.flatMap((each) => [line(""), ...wrap(each, width).map((text) => line(text))]),
  ]
}
