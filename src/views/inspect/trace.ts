import type { Hive } from "../../hive/hive.ts"
import { shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { localTime } from "../../shared/time.ts"
import { type Hit, type Trace, trace } from "../trace/trace.ts"

/** A trace for a tool's reply: a short line for each hit, by time, with something of every source. */
export async function inspectTrace(hive: Hive, stamp: string) {
  const { hits, left_out, notes } = boundTrace(await trace(hive, stamp))
  return {
    hits,
    ...(left_out > 0 ? { more: `${left_out}, see \`hivemind trace ${stamp}\`` } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/** The newest hits of every source, as many as fit into a reply. */
export function boundTrace({ hits, left_out, notes }: Trace): {
  hits: string[]
  left_out: number
  notes: string[]
} {
  const chosen = new Set<Hit>()
  let tokens = 0
  for (const hit of newestOfEach(hits)) {
    tokens += countTokens(`${JSON.stringify(lineOf(hit))},`)
    if (tokens > MAX_TOKENS) break
    chosen.add(hit)
  }
  const more = Object.values(left_out).reduce((sum, n) => sum + n, 0)
  return {
    hits: hits.filter((hit) => chosen.has(hit)).map(lineOf),
    left_out: hits.length - chosen.size + more,
    notes,
  }
}

/** The newest of each source, then the second newest of each, and so on. */
function newestOfEach(hits: readonly Hit[]): Hit[] {
  const seen = new Map<Hit["source"], number>()
  const ranked = hits.toReversed().map((hit) => {
    const rank = seen.get(hit.source) ?? 0
    seen.set(hit.source, rank + 1)
    return { hit, rank }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ hit }) => hit)
}

function lineOf({ at, source, where, text }: Hit): string {
  const time = at === null ? "" : `${localTime(at).slice(0, "2026-02-11 14:30".length)} `
  return `${time}${source} ${where}: ${shorten(text, MAX_TEXT)}`
}

const MAX_TOKENS = 1400
const MAX_TEXT = 90
