import { dirname, join, relative } from "node:path"
import { type ParseError, parse } from "jsonc-parser"
import type { Problem } from "../graph/problem.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { readdirSync, readFileSync } from "../store/files/hive-fs.ts"
import { hivePaths } from "../store/files/layout.ts"

type FileProblem = ReturnType<typeof fileProblems>[number]

/** The problems with their place in the file and, as `mend`, what a person can do. */
export function fileProblems(project: string, problems: readonly Problem[]) {
  const { root } = hivePaths(project)
  const texts = new Map<string, string | undefined>()
  return problems.map((problem) => {
    if (!texts.has(problem.file)) texts.set(problem.file, textOf(join(root, problem.file)))
    const text = texts.get(problem.file)
    const place = text === undefined ? null : locateProblem(text, problem)
    return { ...problem, place, mend: adviceFor(problem) }
  })
}

/** Describes problems for people, grouped by advice, so that each advice is shown once. */
export function describeFileProblems(problems: FileProblem[]): string[] {
  return [...new Set(problems.map(({ mend }) => mend))].flatMap((advice) => {
    const alike = problems.filter(({ mend }) => mend === advice)
    const more = alike.length - MAX_SHOWN
    return [
      ...alike.slice(0, MAX_SHOWN).map(describe),
      ...(more > 0 ? [`and ${more} more (\`--json\` lists all)`] : []),
      `→ ${advice}`,
    ]
  })
}

function describe({ file, place, kind, id, reason, raw }: FileProblem): string {
  const column = place === null || place.column === 1 ? "" : `:${place.column}`
  const where = place === null ? `.hivemind/${file}` : `.hivemind/${file}:${place.line}${column}`
  const record = kind === null || id === null ? "" : ` ${kind} ${shortId(id)}:`
  // Text that belongs to no record is quoted. A record is named by kind and id instead.
  const excerpt = raw !== null && id === null ? `: ${shorten(raw, 60)}` : ""
  return `${where}:${record} ${reason}${excerpt}`
}

function locateProblem(text: string, { raw, id }: Problem) {
  // Searches for the record's own text first. If the file has it in another form, searches for its id.
  const marks = [raw?.split("\n")[0], id].flatMap((mark) => mark || [])
  const offsets = marks.map((mark) => text.indexOf(mark))
  const offset = marks.length === 0 ? firstError(text) : offsets.find((each) => each >= 0)
  if (offset === undefined) return null
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
    return undefined // The file is gone or is a folder: the problem's reason already says so.
  }
}

function adviceFor(problem: Problem): string {
  const advice = ADVICE[problem.code] ?? fileAdvice
  return typeof advice === "string" ? advice : advice(problem)
}

function fileAdvice({ file }: Problem): string {
  if (file.startsWith("graph/manifest.")) return OLDER_MANIFEST
  if (file.startsWith("state/")) return ONLY_COUNTS
  if (/^graph\/archive\/mems\.\d/.test(file)) return ARCHIVE_FILE
  if (!file.endsWith(".jsonl")) return FROM_THE_LOG
  return file.startsWith("graph/log/")
    ? "All other lines were read. If the backup has this one, `hivemind sync --restore` brings it back; `hivemind doctor` says so."
    : "Correct the line or delete it. All other lines are in use."
}

function linkAdvice({ level }: Problem): string {
  const mend =
    "Bring back the record that it links to (`hivemind log <id>` shows how that record was removed)."
  return level === "quarantined" ? mend : `This record is in use, but its link leads nowhere. ${mend}`
}

/** Lists the copies of broken files that HiveMind kept for a person, relative to `.hivemind/`. */
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
    return [] // The folder is missing or cannot be read.
  }
}

const MAX_SHOWN = 5
const ONLY_COUNTS = "Nothing to do: the file holds only session counters. HiveMind will write a new one."
const ARCHIVE_FILE =
  "Nothing to do: HiveMind will write its mems into a new file, from the log. `hivemind doctor --repair` does that now."
const OVERTAKEN =
  "Two processes wrote at the same time, or the line comes from another copy of this folder. Usually HiveMind has written " +
  "the change again. If it is missing, repeat it. HiveMind will move this line to graph/orphans.json."
const OLDER_MANIFEST =
  "Nothing to do: HiveMind uses the previous manifest and the log, and will write a new manifest."
const FROM_THE_LOG =
  "Nothing is lost: the log has its records, and this file is kept as *.broken-<stamp> when a new one is written. " +
  "If you edited it: use the dashboard or a command such as `hivemind memory <id> --edit` to change records."
const ADVICE: Partial<Record<Problem["code"], string | ((problem: Problem) => string)>> = {
  repaired_link: "Nothing to do: HiveMind writes the repair into the log with the next change.",
  broken_link: linkAdvice,
  unreadable: ({ file }) =>
    `Look at .hivemind/${file}: it must be readable, no link, and a file or folder as HiveMind made it.`,
  torn_line: "Nothing to do: the line was never completely written, so no saved change is lost.",
  missing_file: ({ file }) =>
    file.startsWith("graph/archive/")
      ? ARCHIVE_FILE
      : "Nothing to do: HiveMind will write it again from the log. You can also restore your own copy.",
  link: "Replace the link with a real file or folder, and copy the data you need from its target.",
  overtaken: OVERTAKEN,
  stray_segment: "Move the file out of .hivemind/graph/log/.",
  lost_entries: "The file was replaced by another one. If you have a copy of the original file, restore it.",
}
