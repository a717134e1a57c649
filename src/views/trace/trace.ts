import type { Hive } from "../../hive/hive.ts"
import { hivePaths } from "../../store/layout.ts"
import { traceCommits } from "./commits.ts"
import { traceExports } from "./exports.ts"
import { traceFiles } from "./files.ts"
import { traceGraph } from "./graph.ts"
import { stampPattern } from "./stamp-pattern.ts"

const SOURCES = ["graph", "log", "file", "export", "git"] as const

/** One place where a stamp was found. */
export interface Hit {
  /** When it happened; null where nothing says so. */
  at: string | null
  source: (typeof SOURCES)[number]
  /** A record (`task 1a2b3c4d`), an entry, a file with its line, a commit. */
  where: string
  text: string
}

export interface Trace {
  stamp: string
  /** By time. */
  hits: Hit[]
  /** How many more there are of a source than are shown. */
  left_out: Partial<Record<Hit["source"], number>>
  /** What could not be asked, and why. */
  notes: string[]
}

/** Everything that carries a stamp, or belongs to what does: records, the session's log and files, exports, commits. */
export async function trace(hive: Hive, stamp: string): Promise<Trace> {
  const pattern = stampPattern(stamp)
  const { state } = hive.store.read()
  const paths = hivePaths(hive.dir)
  const entries = hive.store.log()
  const times = new Map(entries.map(({ id, at }) => [id, at]))
  const { commits, note } = await traceCommits(hive.dir, stamp, pattern)
  const found = [
    ...traceGraph(state, hive.store.archived(), entries, stamp),
    ...(await traceFiles(paths, state, times, stamp, pattern)),
    ...(await traceExports(paths, pattern)),
    ...commits,
  ]
  const { hits, left_out } = newestOfEach(found)
  return { stamp, hits: hits.sort(byTime), left_out, notes: note === undefined ? [] : [note] }
}

/** A source with thousands of hits must not bury the others. */
function newestOfEach(found: Hit[]): Pick<Trace, "hits" | "left_out"> {
  const left_out: Trace["left_out"] = {}
  const hits = SOURCES.flatMap((source) => {
    const ofSource = found.filter((hit) => hit.source === source)
    const more = ofSource.length - MAX_OF_SOURCE
    if (more <= 0) return ofSource
    left_out[source] = more
    return ofSource.sort(byTime).slice(more)
  })
  return { hits, left_out }
}

/** What has no time comes last; at the same moment, the graph before what tells of it. */
function byTime(a: Hit, b: Hit): number {
  return (a.at ?? "9").localeCompare(b.at ?? "9")
}

const MAX_OF_SOURCE = 200
