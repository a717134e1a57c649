import type { Problem } from "../graph/problem.ts"

/** The state of the files in one line for a person, or "" where all is well. */
export function describeProblems(problems: readonly Problem[]): string {
  const quarantined = problems.filter((problem) => problem.level === "quarantined")
  const shown = quarantined.length > 0 ? quarantined : problems
  const first = shown[0]
  if (first === undefined) return ""
  const files = [...new Set(shown.map((problem) => problem.file))].join(", ")
  const what = quarantined.length > 0 ? "could not be read" : "looks wrong"
  const count = shown.length === 1 ? "1 part" : `${shown.length} parts`
  return `HiveMind: ${count} of ${files} ${what} (${first.reason}). Nothing is lost; \`hivemind doctor\` tells how to mend it.`
}
