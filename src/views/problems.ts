import { dirname, join, relative } from "node:path"
import { type ParseError, parse } from "jsonc-parser"
import type { Problem } from "../graph/problem.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { readdirSync, readFileSync } from "../store/files/hive-fs.ts"
import { hivePaths } from "../store/files/layout.ts"

/** A problem in HiveMind's files, with its position and advice. */
export interface FileProblem extends Problem {
  place: TextPosition | null
  mend: string
}

interface TextPosition {
  line: number
  column: number
}

export function fileProblems(project: string, problems: readonly Problem[]): FileProblem[] {
  const { root } = hivePaths(project)
  // Each file is read once.
  const texts = new Map<string, string | undefined>()
  return problems.map((problem) => {
    if (!texts.has(problem.file)) texts.set(problem.file, textOf(join(root, problem.file)))
    const text = texts.get(problem.file)
    const place = text === undefined ? undefined : locateProblem(text, problem)
    return { ...problem, place: place ?? null, mend: adviceFor(problem) }
  })
}

/** For people: every position and reason, and each advice once. */
export function describeFileProblems(problems: FileProblem[]): string[] {
  const lines: string[] = []
  for (const [advice, alike] of byAdvice(problems)) {
    for (const problem of alike.slice(0, MAX_SHOWN)) lines.push(describe(problem))
    if (alike.length > MAX_SHOWN) lines.push(`and ${alike.length - MAX_SHOWN} more (\`--json\` lists all)`)
    lines.push(`→ ${advice}`)
  }
  return lines
}

function describe({ file, place, kind, id, reason, raw }: FileProblem): string {
  const column = place === null || place.column === 1 ? "" : `:${place.column}`
  const where = place === null ? `.hivemind/${file}` : `.hivemind/${file}:${place.line}${column}`
  const record = kind === null || id === null ? "" : ` ${kind} ${shortId(id)}:`
  // A record is found by its position; other text is quoted.
  const excerpt = raw !== null && id === null ? `: ${shorten(raw, 60)}` : ""
  return `${where}:${record} ${reason}${excerpt}`
}

/** Undefined if the position is unknown. */
function locateProblem(text: string, { raw, id }: Problem): TextPosition | undefined {
  // The record as the file has it; if it was written in another form, its id.
  const marks = [raw?.split("\n")[0], id].flatMap((mark) => mark || [])
  const offsets = marks.map((mark) => text.indexOf(mark))
  const offset = marks.length === 0 ? firstError(text) : offsets.find((each) => each >= 0)
  if (offset === undefined) return undefined
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function firstError(text: string): number | undefined {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true })
  return errors[0]?.offset
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined // Gone, or a folder: the problem's own reason says so.
  }
}

function byAdvice(problems: FileProblem[]): Map<string, FileProblem[]> {
  const groups = new Map<string, FileProblem[]>()
  for (const problem of problems) groups.set(problem.mend, [...(groups.get(problem.mend) ?? []), problem])
  return groups
}

function adviceFor(problem: Problem): string {
  const { code, file } = problem
  switch (code) {
    case "repaired_link":
      return "Nothing to do: the next write puts the repair into the log."
    case "broken_link":
      return linkAdvice(problem)
    case "unreadable":
      return `Look at .hivemind/${file}: it must be readable, no link, and neither a file in place of a folder nor the other way round.`
    case "torn_line":
      return "Nothing to do: nothing that was saved is in it."
    case "missing_file":
      if (file.startsWith("graph/archive/")) return ARCHIVE_FILE
      return "Nothing to do: the next fold writes it again. Or restore your own copy."
    case "link":
      return "Replace the link by a real file or folder; copy the data to keep from the link's target."
    case "overtaken":
      return OVERTAKEN
    case "stray_segment":
      return "Move it out of .hivemind/graph/log/."
    case "lost_entries":
      return "The file was replaced by another one. If you have a copy of the original, restore that."
    default:
      if (file.startsWith("graph/manifest.")) return OLDER_MANIFEST
      if (file.startsWith("state/")) return ONLY_COUNTS
      if (/^graph\/archive\/mems\.\d/.test(file)) return ARCHIVE_FILE
      return file.endsWith(".jsonl") ? lineAdvice(file) : FROM_THE_LOG
  }
}

function linkAdvice({ level, id }: Problem): string {
  const find = id === null ? "`hivemind log`" : `\`hivemind log ${id}\``
  return level === "quarantined"
    ? `Bring back the record that it points at (${find} shows its history).`
    : `It is in use as it is. Bring back the record that it points at (see ${find}).`
}

function lineAdvice(file: string): string {
  return file.startsWith("graph/log/")
    ? "Nothing to do: the rest is in use, and the next fold keeps the line in graph/orphans.json."
    : "Correct the line, or take it out; the rest is in use."
}

/** Broken files that were set aside for a person, relative to `.hivemind/`. */
export function listBrokenCopies(project: string): string[] {
  const paths = hivePaths(project)
  const folders = [dirname(paths.manifest), paths.graph, paths.parts, paths.state, paths.sessions]
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.includes(".broken-"))
      .sort()
      .map((name) => relative(paths.root, join(folder, name))),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // Missing or unreadable: there are no quarantined files to list.
  }
}

const MAX_SHOWN = 5
const ONLY_COUNTS = "Nothing to do: it holds only session counters. The next fold writes a new one."
const ARCHIVE_FILE =
  "Nothing to do: the next fold writes its mems into a new file, from the log. `hivemind doctor --repair` does that now."
const OVERTAKEN =
  "Its writer had lost the lock, and wrote it anew unless it was ended first; or it comes from another copy of this " +
  "folder. Do it again if you miss it. The next fold keeps its text in graph/orphans.json."
const OLDER_MANIFEST =
  "Nothing to do: the one before it and the log are in use, and the next fold writes a new one."
const FROM_THE_LOG =
  "Nothing is lost: the log has its records, and this file is kept as *.broken-<stamp> when a new one is written. If you edited it: " +
  "records are changed with the dashboard or a command such as `hivemind memory <id> --edit`."
