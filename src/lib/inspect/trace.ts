import type { Hive } from "../hive.ts"
import { plainLine, shorten } from "../pack/escape.ts"
import { type Hit, trace } from "../trace/trace.ts"

/** A trace for a reader with little room: the most telling places, in the order of time. */
export async function inspectTrace(hive: Hive, stamp: string) {
  const { hits, left_out, notes } = await trace(hive, stamp)
  const telling = new Set(
    [...hits].sort((a, b) => WORTH.indexOf(a.source) - WORTH.indexOf(b.source)).slice(0, MAX_HITS),
  )
  const more = Object.values(left_out).reduce((sum, n) => sum + n, hits.length - telling.size)
  return {
    hits: hits.filter((hit) => telling.has(hit)).map(tellHit),
    ...(more > 0 ? { more: `${more}, see \`hivemind trace ${stamp}\`` } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  }
}

function tellHit({ at, source, where, text }: Hit): string {
  return shorten(plainLine(`${at?.slice(0, 16) ?? ""} ${source} ${where}: ${text}`), MAX_LINE)
}

// The log and the session file tell of the same steps; records and commits stand for what came of them.
const WORTH: Hit["source"][] = ["graph", "git", "export", "log", "file"]
const MAX_HITS = 30
const MAX_LINE = 140
