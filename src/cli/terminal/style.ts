import { styleText } from "node:util"
import type { CliIo, TextStream } from "./io.ts"

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

/** Colours for a terminal whose owner has not turned them off; plain text for everything else. */
export function styleFor(stream: TextStream, env: CliIo["env"]): Style {
  const plain = stream.isTTY !== true || Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb"
  return (format, text) => (plain ? text : styleText(format, text, { validateStream: false }))
}
