import { basename } from "node:path"
import type { Source } from "../../shared/ids.ts"
import { openToRead } from "../../store/files/read-at.ts"
import { objectFrom, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { type BeadsLinks, type Issue, sketchIssue } from "./beads-issue.ts"
import { layOut } from "./beads-layout.ts"
import { takeIssue } from "./beads-take.ts"
import { type Line, lineAt, linesOf } from "./lines.ts"
import { takeText } from "./work-item.ts"

/**
 * The issues of beads: one JSON object per line, with its links. Read twice, because a link may lead to any line: first
 * what belongs where, then each issue behind those that it leans on. Only what the first reading needs is held.
 */
export async function* readBeads(path: string, source: Source): AsyncGenerator<Found> {
  const name = basename(path)
  const now = new Date(source.now()).toISOString()
  const issues = new Map<string, Issue>()
  const older: Issue[] = []
  for await (const line of linesOf(path)) {
    const place = `${name}:${line.number}`
    const read = readLine(line)
    if ("fault" in read) {
      yield { from: place, quarantine: read.fault, original: read.original }
      continue
    }
    if (read.record["_type"] === "memory") {
      yield memoryOf(read.record, place, now)
      continue
    }
    const issue = sketchIssue(read.record, line)
    if (issue === undefined)
      yield { from: place, quarantine: "an issue without an id", original: read.record }
    else if (issues.has(issue.name)) {
      const there = issues.get(issue.name) as Issue
      if (there.hash === issue.hash) yield { from: `${place} (${issue.name})`, ignore: "the same line again" }
      else older.push(keepNewer(issues, there, issue))
    } else issues.set(issue.name, issue)
  }
  for (const issue of issues.values())
    if (issue.ignored !== undefined) yield { from: placeOf(path, issue), ignore: issue.ignored }
  yield* takeAll(path, layOut(issues), older, now)
}

/** A merge can leave two lines of one issue: the one that was changed last counts. Returns the other. */
function keepNewer(issues: Map<string, Issue>, there: Issue, issue: Issue): Issue {
  if (!(issue.updated > there.updated)) return issue
  issues.set(issue.name, issue)
  return there
}

async function* takeAll(
  path: string,
  links: BeadsLinks,
  older: readonly Issue[],
  now: string,
): AsyncGenerator<Found> {
  const file = await openToRead(path)
  try {
    for (const issue of links.order) {
      const from = placeOf(path, issue)
      const read = readLine({ ...issue, text: await lineAt(file, issue) })
      if ("fault" in read || textFrom(read.record["id"]) !== issue.name) {
        const reason = "the file has changed while it was read: run the import again"
        yield { from, quarantine: reason, original: { id: issue.name } }
      } else yield takeIssue(read.record, issue, links, from, now)
    }
    for (const issue of older) {
      const read = readLine({ ...issue, text: await lineAt(file, issue) })
      const reason = `an older version of it; the newer stands in line ${links.find(issue.name)?.number ?? "?"}`
      yield {
        from: placeOf(path, issue),
        quarantine: reason,
        original: "record" in read ? read.record : read.original,
      }
    }
  } finally {
    await file.close()
  }
}

type Read = { record: Record<string, unknown> } | { fault: string; original: unknown }

function readLine({ text, bytes }: Pick<Line, "bytes" | "text">): Read {
  if (text === undefined) return { fault: "a line that is too long to be one record", original: { bytes } }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Of a merge that nobody has finished, or cut off.
    const fault = /^(<{7}|={7}|>{7})/.test(text) ? "a mark of an unfinished merge" : "not valid JSON"
    return { fault, original: text.slice(0, MAX_KEPT_CHARS) }
  }
  const record = objectFrom(value)
  return record === undefined ? { fault: "not an object", original: value } : { record }
}

/** What `bd remember` keeps. */
function memoryOf(record: Record<string, unknown>, from: string, now: string): Found {
  const value = textFrom(record["value"])
  if (value === undefined) return { from, quarantine: "a memory without text", original: record }
  const key = textFrom(record["key"]) ?? ""
  const about = { key: `memory ${key}`, tags: [key], created: undefined, fallback: now }
  return { from: `${from} (${key})`, take: takeText("beads", value, about) }
}

function placeOf(path: string, { number, name }: Issue): string {
  return `${basename(path)}:${number} (${name})`
}

const MAX_KEPT_CHARS = 20_000
