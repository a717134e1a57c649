import { styleText } from "node:util"
import type { CliIo, TextStream } from "./io.ts"
import { ownSequence } from "./output.ts"

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

/** Colours for a terminal whose owner has not turned them off; plain text for everything else. */
export function styleFor(stream: TextStream, env: CliIo["env"]): Style {
  const plain = stream.isTTY !== true || Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb"
  return (format, text) => (plain ? text : coloured(format, text))
}

/** The colours are our own sequences; the text is cleaned when it is written. */
function coloured(format: Parameters<Style>[0], text: string): string {
  const [on = "", off = ""] = styleText(format, PLACE, { validateStream: false }).split(PLACE)
  return `${ownSequence(on)}${text}${ownSequence(off)}`
}

/** By label, what stands beside it; a label without a value is not shown. */
export type Fields = Record<string, string | readonly string[] | null | undefined>

/** Values in a column, each label in front of its first value. */
export function fieldLines(
  fields: Fields,
  style: Style,
  width = Math.max(...Object.keys(fields).map((label) => label.length)) + 2,
): string[] {
  return Object.entries(fields).flatMap(([label, value]) =>
    [value ?? []]
      .flat()
      .map((line, index) => `${style("dim", (index === 0 ? label : "").padEnd(width))}${line}`),
  )
}

/** The first lines of a list, and how many more there are. */
export function firstLines(lines: readonly string[], max = MAX_LISTED): readonly string[] {
  const more = lines.length - max
  return more > 0 ? [...lines.slice(0, max), `and ${more} more (\`--json\` lists all)`] : lines
}

/** A title with indented lines below it; nothing if there are no lines. */
export function section(title: string, lines: readonly string[], max = Number.POSITIVE_INFINITY): string[] {
  return lines.length === 0 ? [] : [title, ...firstLines(lines, max).map((line) => `  ${line}`)]
}

const PLACE = "x"
const MAX_LISTED = 10
