import { UNKNOWN } from "./unknown-text.ts"

/** What commands print one after another; past so many lines, the rest is unknown. */
export function addLine(printed: string[], text: string): void {
  if (text === "" || printed.length > MAX_PRINTED) return
  printed.push(printed.length === MAX_PRINTED ? UNKNOWN : text.replace(/\n$/, ""))
}

const MAX_PRINTED = 1000
