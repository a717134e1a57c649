import { join } from "node:path"
import { type ParseError, parse } from "jsonc-parser"
import type { Problem } from "../../graph/problem.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { readFileSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { adviceFor } from "./problem-advice.ts"

/** A problem in the files, with its position and what to do about it. */
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
  // A file that is broken in many places is read once.
  const texts = new Map<string, string | undefined>()
  return problems.map((problem) => {
    if (!texts.has(problem.file)) texts.set(problem.file, textOf(join(root, problem.file)))
    const text = texts.get(problem.file)
    const place = text === undefined ? undefined : locateProblem(text, problem)
    return { ...problem, place: place ?? null, mend: adviceFor(problem) }
  })
}

/** For a person: every position and reason, and each advice once. */
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
  // A record is found by its position; any other part is shown.
  const excerpt = raw !== null && id === null ? `: ${shorten(raw, 60)}` : ""
  return `${where}:${record} ${reason}${excerpt}`
}

/** Where in its file's text a problem is; undefined where that cannot be known. */
function locateProblem(text: string, { raw, id }: Problem): TextPosition | undefined {
  // A record is in the text as the file has it, or parsed and written again; its id finds it then.
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

const MAX_SHOWN = 5
