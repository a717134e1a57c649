import { shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { localTime } from "../../shared/time.ts"
import type { Hit, Trace } from "./trace.ts"

/** A trace for a tool's reply: one short line for each hit, as many as fit, from every source the newest first. */
export function briefTrace({ stamp, hits, left_out, notes }: Trace): {
  stamp: string
  chain: string[]
  left_out: number
  notes: string[]
} {
  const chosen = new Set<Hit>()
  let tokens = 0
  for (const hit of inTurn(hits)) {
    tokens += countTokens(lineOf(hit)) + QUOTES_TOKENS
    if (tokens > MAX_TOKENS) break
    chosen.add(hit)
  }
  const more = Object.values(left_out).reduce((sum, n) => sum + n, 0)
  return {
    stamp,
    chain: hits.filter((hit) => chosen.has(hit)).map(lineOf),
    left_out: hits.length - chosen.size + more,
    notes,
  }
}

/** The newest of each source, then the second newest of each, and so on. */
function inTurn(hits: readonly Hit[]): Hit[] {
  const rank = new Map<Hit["source"], number>()
  const ranked = hits.toReversed().map((hit) => {
    const place = rank.get(hit.source) ?? 0
    rank.set(hit.source, place + 1)
    return { hit, place }
  })
  return ranked.sort((a, b) => a.place - b.place).map(({ hit }) => hit)
}

function lineOf({ at, source, where, text }: Hit): string {
  const time = at === null ? "" : `${localTime(at).slice(0, "2026-02-11 14:30".length)} `
  return `${time}${source} ${where}: ${shorten(text, MAX_TEXT)}`
}

const MAX_TOKENS = 1400
const MAX_TEXT = 90
const QUOTES_TOKENS = 1
