import type { Hive } from "../../hive/hive.ts"
import { stamp as stampSchema } from "../../schemas/fields.ts"
import { HiveError } from "../../shared/error.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { traceCommits } from "./commits.ts"
import { traceExports, traceSessionFiles } from "./files.ts"
import { traceGraph } from "./graph.ts"

const SOURCES = ["graph", "log", "file", "export", "git"] as const

/** One find of a stamp. */
export interface Hit {
  /** When it happened; null if nothing says so. */
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
  /** How many hits of a source are not shown. */
  left_out: Partial<Record<Hit["source"], number>>
  /** Sources that could not be searched, and why. */
  notes: string[]
}

/** Everything that carries a stamp or belongs to a record that does: records, the log, session files, exports, commits. */
export async function trace(hive: Hive, stamp: string): Promise<Trace> {
  const pattern = stampPattern(stamp)
  const { state } = hive.store.read()
  const paths = hivePaths(hive.home)
  const entries = await hive.store.log()
  const times = new Map(entries.map(({ id, at }) => [id, at]))
  const { commits, note } = await traceCommits(hive.dir, stamp, pattern)
  const found = [
    ...traceGraph(state, await hive.store.archive.naming(stamp), entries, stamp),
    ...(await traceSessionFiles(paths, state, times, stamp, pattern)),
    ...(await traceExports(paths, pattern)),
    ...commits,
  ]
  const { hits, left_out } = newestOfEach(found)
  return { stamp, hits: hits.sort(byTime), left_out, notes: note === undefined ? [] : [note] }
}

/**
 * Finds exactly that stamp in text: neither `301411022026-2` for `301411022026`, nor a piece of a longer number or id.
 * Old files have it with a prefix (`t_301411022026`).
 */
function stampPattern(stamp: string): RegExp {
  if (!stampSchema.safeParse(stamp).success) throw wrongStamp(stamp)
  return new RegExp(`(?<![0-9A-Za-z])${stamp}(?![0-9A-Za-z]|-\\d)`)
}

/** A source with thousands of hits must not push out the others. */
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

/** Hits without a time come last. The sort is stable: at the same moment, the graph comes before the log and the files. */
function byTime(a: Hit, b: Hit): number {
  return (a.at ?? "9").localeCompare(b.at ?? "9")
}

function wrongStamp(stamp: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `"${stamp.slice(0, 40)}" is not a stamp.`,
    why: "A stamp is mmHHDDMMYYYY: 10 to 12 digits, then -2, -3… where that minute was taken.",
    use_instead: "Take one from a session file's name, a commit message or the state: 301411022026.",
    evidence: `stamp = ${stamp.slice(0, 100)}`,
  })
}

const MAX_OF_SOURCE = 200
