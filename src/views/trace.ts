import { basename, relative } from "node:path"
import { linksFrom } from "../graph/links.ts"
import { recordNames } from "../graph/record-names.ts"
import { type GraphState, recordsOf } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { askGit } from "../project/git/git.ts"
import type { Entry } from "../schemas/entry.ts"
import { stamp as stampSchema, time } from "../schemas/fields.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { kinds } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { listTree, readFile } from "../store/files/hive-fs.ts"
import { type HivePaths, hivePaths } from "../store/files/layout.ts"
import { sessionLines } from "./session-file/session-lines.ts"
import { readLine } from "./session-file/template.ts"

const SOURCES = ["graph", "log", "file", "export", "git"] as const

export interface Hit {
  at: string | null
  source: (typeof SOURCES)[number]
  /** A record (`task 1a2b3c4d`), a log entry, a file with the line number, or a commit. */
  where: string
  text: string
}

/** Finds everything with a stamp: records and records linking to them, log entries, session files, exports, commits. */
export async function trace(hive: Hive, stamp: string, maxPerSource = MAX_OF_SOURCE) {
  const pattern = stampPattern(stamp)
  const { state } = hive.store.read()
  const paths = hivePaths(hive.home)
  const entries = await hive.store.log()
  const { commits, note } = await traceCommits(hive.dir, stamp, pattern)
  const found = [
    ...traceRecords(state, await hive.store.archive.naming(stamp), stamp),
    ...traceLog(state, entries, stamp),
    ...(await traceSessionFiles(paths, state, entries, stamp, pattern)),
    ...(await traceExports(paths, pattern)),
    ...commits,
  ]
  // The number of hits that are not listed, by source. `notes` has the sources that could not be searched, and why.
  const left_out: Partial<Record<Hit["source"], number>> = {}
  // The limit is per source, so that a source with thousands of hits does not push out the others.
  const hits = SOURCES.flatMap((source) => {
    const ofSource = found.filter((hit) => hit.source === source)
    const more = ofSource.length - maxPerSource
    if (more <= 0) return ofSource
    left_out[source] = more
    return ofSource.sort(byTime).slice(more)
  })
  return { stamp, hits: hits.sort(byTime), left_out, notes: note === undefined ? [] : [note] }
}

/** Matches the stamp, but not `<stamp>-2` or a part of a longer number. In old files it may follow a prefix (`t_…`). */
function stampPattern(stamp: string): RegExp {
  if (!stampSchema.safeParse(stamp).success)
    throw new HiveError({
      code: "invalid_argument",
      what: `"${stamp.slice(0, 40)}" is not a stamp.`,
      why: "A stamp is mmHHDDMMYYYY: 10 to 12 digits, then -2, -3… if another session began in that minute.",
      use_instead: "Take one from a session file's name, a commit message or the state: 301411022026.",
      evidence: `stamp = ${stamp.slice(0, 100)}`,
    })
  return new RegExp(`(?<![0-9A-Za-z])${stamp}(?![0-9A-Za-z]|-\\d)`)
}

/** Sorts by time; hits without a time come last. Sorting is stable, so equal times keep the order of the sources. */
const byTime = (a: Hit, b: Hit): number => (a.at ?? "9").localeCompare(b.at ?? "9")

/** Records with the stamp, and records that link to them. Read-heads are left out: they only say where a session works. */
function traceRecords(state: GraphState, archivedMems: readonly Mem[], stamp: string): Hit[] {
  const names = recordNames(state)
  const archived = new Map(archivedMems.map((mem) => [mem.id, mem]))
  const records = kinds
    .filter((kind) => kind !== "trajectory")
    .flatMap((kind) => {
      const gone = kind === "mem" ? archivedMems.filter(({ id }) => !state.mem.has(id)) : []
      return [...recordsOf(state, kind).values(), ...gone].flatMap((record) =>
        "stamp" in record ? [{ kind, record }] : [],
      )
    })
  const stamped = new Set(records.flatMap(({ record }) => (record.stamp === stamp ? [record.id] : [])))
  const linksThere = ({ kind, record }: (typeof records)[number]) =>
    linksFrom(kind).some((link) => link.ids(record).some((id) => id !== null && stamped.has(id)))
  return records
    .filter((each) => stamped.has(each.record.id) || linksThere(each))
    .map(({ kind, record }) => {
      const own = state.session.get(record.id)?.intent ?? archived.get(record.id)?.content
      const title = own === undefined ? names.titleOf(record.id) : `"${shorten(own, MAX_TITLE)}"`
      const status = "status" in record ? ` (${record.status})` : ""
      const where = `${kind} ${shortId(record.id)}`
      return { at: record.created_at, source: "graph", where, text: `${title ?? record.id}${status}` }
    })
}

function traceLog(state: GraphState, entries: readonly Entry[], stamp: string): Hit[] {
  return [...state.session.values()]
    .filter((session) => session.stamp === stamp)
    .flatMap((session) => sessionLines(entries, state, session))
    .map(({ id, at, words }) => ({ at, source: "log", where: `entry ${shortId(id)}`, text: words }))
}

/** Lines with the stamp in session files, including archived ones. A file whose name is the stamp is always a hit. */
async function traceSessionFiles(
  paths: HivePaths,
  state: GraphState,
  entries: readonly Entry[],
  stamp: string,
  pattern: RegExp,
): Promise<Hit[]> {
  const times = new Map(entries.map(({ id, at }) => [id, at]))
  const began = [...state.session.values()].find((session) => session.stamp === stamp)?.created_at ?? null
  const hits: Hit[] = []
  for await (const { path, where, text } of filesUnder(paths, paths.sessions, ".md")) {
    const before = hits.length
    const hitAt = (at: string | null, line: number, words: string) =>
      hits.push({ at, source: "file", where: `${where}:${line}`, text: shorten(words) })
    let at: string | null = null
    const lines = text.split("\n")
    lines.forEach((line, index) => {
      const { id, words } = readLine(line)
      at = times.get(id ?? "") ?? at
      if (pattern.test(line)) hitAt(at, index + 1, words)
    })
    const isOwn = basename(path, ".md") === stamp
    if (isOwn && hits.length === before) hitAt(began, 1, lines[0] ?? "")
    // Text above the first log line was written when the session began.
    for (const hit of hits.slice(before)) hit.at ??= isOwn ? began : null
  }
  return hits
}

/** Exports that contain the stamp. Each is one hit, because many of its lines have the stamp. */
async function traceExports(paths: HivePaths, pattern: RegExp): Promise<Hit[]> {
  const hits: Hit[] = []
  for await (const { where, text } of filesUnder(paths, paths.exports, ".json")) {
    const line = text.split("\n").findIndex((each) => pattern.test(each)) + 1
    const hit = { source: "export" as const, where: `${where}:${line}`, text: "an export of the session" }
    const at = time.safeParse(/"exported_at":\s*"([^"]*)"/.exec(text)?.[1]).data ?? null
    if (line > 0) hits.push({ at, ...hit })
  }
  return hits
}

async function* filesUnder(paths: HivePaths, folder: string, ending: string) {
  const found = listTree(folder).filter(({ path, isLink }) => path.endsWith(ending) && !isLink)
  for (const path of found.map((each) => each.path).sort()) {
    const text = await readFile(path).then(
      (bytes) => bytes.toString("utf8"),
      () => "", // The file was deleted meanwhile, or is a folder.
    )
    yield { path, where: shorten(relative(paths.root, path), MAX_PATH), text }
  }
}

export async function traceCommits(dir: string, stamp: string, pattern: RegExp) {
  const printed = await askGit(dir, [
    "log",
    // HiveMind's sync log has thousands of commits whose messages have no stamp.
    "--exclude=refs/hivemind/*",
    "--all",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--extended-regexp",
    // The same rule as `pattern`. Otherwise commits with `<stamp>-2` could use up MAX_COMMITS.
    `--grep=(^|[^0-9A-Za-z])${stamp}($|[^-0-9A-Za-z]|-($|[^0-9]))`,
    `--max-count=${MAX_COMMITS}`,
    "-z",
    "--format=%H%n%aI%n%B",
  ])
  if (printed === undefined) return { commits: [], note: NO_GIT }
  const found = printed.split("\0").filter((commit) => commit !== "")
  const commits = found.flatMap((commit): Hit[] => {
    const [hash = "", at = "", ...message] = commit.split("\n")
    const text = message.join("\n")
    if (!pattern.test(text)) return []
    const ms = Date.parse(at)
    const iso = Number.isNaN(ms) ? null : new Date(ms).toISOString()
    return [{ at: iso, source: "git", where: `commit ${hash.slice(0, 12)}`, text: shorten(text) }]
  })
  if (found.length < MAX_COMMITS) return { commits }
  return { commits, note: `only the newest ${MAX_COMMITS} commits were searched` }
}

/** A trace for a tool's reply: the newest hits of each source, one short line each. */
export async function inspectTrace(hive: Hive, stamp: string) {
  const { hits, left_out, notes } = await trace(hive, stamp, MAX_IN_REPLY)
  const more = Object.values(left_out).reduce((sum, n) => sum + n, 0)
  return {
    hits: hits.map(lineOf),
    ...(more > 0 && { more: `${more}, see \`hivemind log trace ${stamp}\`` }),
    ...(notes.length > 0 && { notes }),
  }
}

function lineOf({ at, source, where, text }: Hit): string {
  const shownTime = at === null ? "" : `${localTime(at).slice(0, "2026-02-11 14:30".length)} `
  return `${shownTime}${source} ${shorten(`${where}: ${text}`, MAX_TEXT)}`
}

const NO_GIT =
  "commits were not searched: git is missing, this is no repository, or git log took too long or printed too much"
const MAX_OF_SOURCE = 200
const MAX_TITLE = 60
const MAX_PATH = 300
const MAX_COMMITS = 1000
const MAX_IN_REPLY = 7
const MAX_TEXT = 120
