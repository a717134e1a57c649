import type { Mem } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import type { RefusalRow } from "../../views/look/refusals.ts"
import type { SpentShort } from "../../views/look/spent.ts"

/** The first few of a list in a detail, and how many more there are. */
export function fewOf<T>(all: readonly T[], lineOf: (item: T) => string): string[] {
  const more = all.length - MAX_LISTED
  const lines = all.slice(0, MAX_LISTED).map(lineOf)
  return more > 0 ? [...lines, `and ${more} more (\`--json\` lists all)`] : lines
}

export function memLine({ id, kind, content }: Mem): string {
  return `${shortId(id)} ${kind}: ${shorten(content, MAX_TEXT)}`
}

export function refusalLine({ short, at, what, times }: RefusalRow): string {
  const often = times === 1 ? "" : ` (${times} times)`
  return `${short} ${localTime(at)} ${shorten(what, MAX_TEXT)}${often}`
}

/** `12 answers: 1,200 tokens read anew, 30,000 from cache, 400 answered, $0.25`. */
export function spentText({ answers, fresh, cached, output, cost }: SpentShort): string {
  const whole = (n: number) => n.toLocaleString("en-US")
  const money = cost > 0 ? `, $${cost.toFixed(cost < 1 ? 4 : 2)}` : ""
  return `${answers} answers: ${whole(fresh)} tokens read anew, ${whole(cached)} from cache, ${whole(output)} answered${money}`
}

const MAX_LISTED = 10
const MAX_TEXT = 120
