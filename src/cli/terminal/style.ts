import { styleText } from "node:util"
import type { CliIo, TextStream } from "./io.ts"
import { ownSequence } from "./output.ts"

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

/** Colours for a terminal whose owner has not turned them off; plain text for everything else. */
export function styleFor(stream: TextStream, env: CliIo["env"]): Style {
  const plain = stream.isTTY !== true || Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb"
  return (format, text) => (plain ? text : coloured(format, text))
}

/** The colours as our own sequences, and the text as it is: it is cleaned where it leaves. */
function coloured(format: Parameters<Style>[0], text: string): string {
  const [on = "", off = ""] = styleText(format, PLACE, { validateStream: false }).split(PLACE)
  return `${ownSequence(on)}${text}${ownSequence(off)}`
}

/** Values under a label in front of the first of them; nothing where there are none. */
export type Row = (label: string, values: readonly string[]) => string[]

export function rowsWith(style: Style, width: number): Row {
  return (label, values) =>
    values.map((value, index) => `${style("dim", (index === 0 ? label : "").padEnd(width))}${value}`)
}

const PLACE = "x"
