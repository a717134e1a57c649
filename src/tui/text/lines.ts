import { oneLine } from "../../shared/text/clean.ts"
import { duration } from "../../shared/time.ts"

/** The role of a line; the host's theme gives it a colour. */
export type Tone = "title" | "text" | "muted" | "accent" | "good" | "warning" | "bad"

export interface Line {
  text: string
  tone: Tone
}

export function line(text: string, tone: Tone = "text"): Line {
  return { text, tone }
}

/** `███████░░░` for seven of ten. */
export function bar(done: number, all: number, width: number): string {
  // Full only where everything is done, empty only where nothing is.
  const share = all === 0 ? 0 : done / all
  const filled =
    done === 0 ? 0 : done >= all ? width : Math.min(width - 1, Math.max(1, Math.round(share * width)))
  return "█".repeat(filled) + "░".repeat(width - filled)
}

/** The record that a row shows, so that it can be changed. */
export type Subject =
  | { kind: "mem"; id: string; content: string }
  | { kind: "task"; id: string; title: string; isHeld: boolean }
  | { kind: "decision"; id: string; content: string }
  | { kind: "conflict"; id: string; stands: string; lost: string }

/** A list entry on the screen, which can be chosen and opened. */
export interface Row {
  lines: Line[]
  /** The full text in paragraphs; left out where the lines show everything. */
  whole?: string[]
  of?: Subject
}

/** Without seconds: they would stand still until the next refresh. */
export function ago(at: string, now: number): string {
  const ms = now - Date.parse(at)
  return ms < JUST_NOW_MS ? "just now" : `${duration(ms)} ago`
}

const JUST_NOW_MS = 120_000

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
  // Scrolled no further than the chosen row needs; a row longer than the screen begins at its top.
  const from = Math.max(0, Math.min(Math.max(0, last + 1 - height), first))
  return all.slice(from, from + height).map(({ line }) => line)
}

/** The full text of one row. */
export function wholeRow({ lines, whole }: Row, width: number): Line[] {
  const [first = "", ...rest] = whole ?? lines.map(({ text }) => text.trim())
  return [
    ...wrap(first, width).map((text) => line(text, "title")),
    ...rest.flatMap((each) => [line(""), ...wrap(each, width).map((text) => line(text))]),
  ]
}

/** Text as lines of at most `width` letters, broken between words where that is possible; its own lines stay. */
function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((given) => {
    const lines: string[] = []
    let rest = oneLine(given)
    while (rest.length > width) {
      const space = rest.lastIndexOf(" ", width)
      const at = space > 0 ? space : lengthWithoutHalf(rest, width)
      lines.push(rest.slice(0, at))
      rest = rest.slice(at).trimStart()
    }
    return [...lines, rest]
  })
}

/** Never between the two halves of a surrogate pair. */
function lengthWithoutHalf(text: string, width: number): number {
  const isHalf = /[\uD800-\uDBFF]/.test(text[width - 1] ?? "")
  return Math.max(1, isHalf ? width - 1 : width)
}
