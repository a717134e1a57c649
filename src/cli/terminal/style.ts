import { styleText } from "node:util"
import { shorten } from "../../shared/text/clean.ts"
import type { CliIo, TextStream } from "./io.ts"
import { ownSequence } from "./output.ts"

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

/** Colours for a terminal, unless the user has turned them off; else plain text. */
export function styleFor(stream: TextStream, env: CliIo["env"]): Style {
  const plain = stream.isTTY !== true || Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb"
  return (format, text) => (plain ? text : coloured(format, text))
}

/** Colour codes are marked as our own, so that `guardOutput` keeps them. */
function coloured(format: Parameters<Style>[0], text: string): string {
  const [on = "", off = ""] = styleText(format, PLACE, { validateStream: false }).split(PLACE)
  return `${ownSequence(on)}${text}${ownSequence(off)}`
}

export type Fields = Record<string, string | readonly string[] | null | undefined>

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

/** Formats an object as labelled rows. A list gets a row per value; nested objects become `name value` pairs. */
export function viewLines(view: object, style: Style, maxChars = MAX_VALUE): string[] {
  const textOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(textOf).join(", ")
    if (typeof value !== "object" || value === null) return shorten(String(value), maxChars)
    return Object.entries(value)
      .filter(([, each]) => !Array.isArray(each) || each.length > 0)
      .map(([name, each]) => `${words(name)} ${textOf(each)}`)
      .join(", ")
  }
  const linesOf = (value: unknown): string[] => {
    if (!Array.isArray(value)) return value === null || value === undefined ? [] : [textOf(value)]
    if (value.every((each) => typeof each !== "object")) return value.map(textOf)
    // A list of objects gets a line per object, with the values but not the keys.
    return value.map((each) => Object.values(Object(each)).map(textOf).join("  "))
  }
  const fields = Object.entries(view).map(([name, value]) => [words(name), linesOf(value)])
  return fieldLines(Object.fromEntries(fields), style)
}

function words(name: string): string {
  return name.replaceAll("_", " ")
}

export function firstLines(lines: readonly string[], max = MAX_LISTED): readonly string[] {
  const more = lines.length - max
  return more > 0 ? [...lines.slice(0, max), `and ${more} more (\`--json\` lists all)`] : lines
}

export function section(title: string, lines: readonly string[], max = Number.POSITIVE_INFINITY): string[] {
  return lines.length === 0 ? [] : [title, ...firstLines(lines, max).map((line) => `  ${line}`)]
}

const PLACE = "x"
const MAX_LISTED = 10
const MAX_VALUE = 240
