import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Problem } from "../../graph/problem.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { hivePaths } from "../../store/layout.ts"
import { locateProblem, type Place } from "./locate-problem.ts"
import { mend } from "./mend.ts"

/** A problem in the files with its place and the way out of it. */
export interface FileProblem extends Problem {
  place: Place | null
  mend: string
}

export function fileProblems(project: string, problems: readonly Problem[]): FileProblem[] {
  const { root } = hivePaths(project)
  // A file that is broken in many places is read once.
  const texts = new Map<string, string | undefined>()
  return problems.map((problem) => {
    if (!texts.has(problem.file)) texts.set(problem.file, textOf(join(root, problem.file)))
    const text = texts.get(problem.file)
    const place = text === undefined ? undefined : locateProblem(text, problem)
    return { ...problem, place: place ?? null, mend: mend(problem) }
  })
}

/** For a person: every place and reason, and each way out once. */
export function describeFileProblems(problems: FileProblem[]): string[] {
  const lines: string[] = []
  for (const [way, alike] of byMend(problems)) {
    for (const problem of alike.slice(0, MAX_SHOWN)) lines.push(describe(problem))
    if (alike.length > MAX_SHOWN) lines.push(`and ${alike.length - MAX_SHOWN} more (\`--json\` lists all)`)
    lines.push(`→ ${way}`)
  }
  return lines
}

function describe({ file, place, kind, id, reason, raw }: FileProblem): string {
  const column = place === null || place.column === 1 ? "" : `:${place.column}`
  const where = place === null ? `.hivemind/${file}` : `.hivemind/${file}:${place.line}${column}`
  const record = kind === null || id === null ? "" : ` ${kind} ${shortId(id)}:`
  // A record is found by its place; a part that is none is best shown.
  const excerpt = raw !== null && id === null ? `: ${shorten(raw, 60)}` : ""
  return `${where}:${record} ${reason}${excerpt}`
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined // Gone, or a folder: the problem's own reason says so.
  }
}

function byMend(problems: FileProblem[]): Map<string, FileProblem[]> {
  const groups = new Map<string, FileProblem[]>()
  for (const problem of problems) groups.set(problem.mend, [...(groups.get(problem.mend) ?? []), problem])
  return groups
}

const MAX_SHOWN = 5
