import { ALL } from "../../graph/indexes.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/**
 * A text of earlier without the lines that say what was replaced or taken back since. The report and the last summary
 * date from the last compaction: repeated as they are, they would carry an old decision from summary to summary.
 */
export function withoutOutdated(
  text: string,
  state: GraphState,
  archived: (id: string) => Mem | undefined,
): string {
  if (text === "") return text
  const starts = outdated(state, archived)
    .map(({ content }) => plain(content).slice(0, MATCHED_CHARS))
    .filter(({ length }) => length >= MIN_CHARS)
  if (starts.length === 0) return text
  const holds = (line: string) => {
    const words = plain(line)
    return !starts.some((start) => words.includes(start))
  }
  return text.split("\n").filter(holds).join("\n")
}

/** The newest that were replaced, by what replaces them, and those that were taken back. */
function outdated(state: GraphState, archived: (id: string) => Mem | undefined): Mem[] {
  const old: Mem[] = [...first(MAX_LOOKED_AT, state.mem.by("standing", "retired").backwards())]
  for (const mem of first(MAX_LOOKED_AT, state.mem.by("in_force", ALL).backwards())) {
    const replaced =
      mem.supersedes === null ? undefined : (state.mem.get(mem.supersedes) ?? archived(mem.supersedes))
    // Reworded only: what begins alike would take the new one along.
    if (replaced !== undefined && !beginsAlike(replaced, mem)) old.push(replaced)
  }
  for (const mem of first(MAX_LOOKED_AT, state.mem.by("standing", "false path").backwards()))
    if (!isMemInForce(mem)) old.push(mem)
  return old
}

function beginsAlike(one: Mem, other: Mem): boolean {
  return plain(other.content).startsWith(plain(one.content).slice(0, MATCHED_CHARS))
}

function plain(text: string): string {
  return text
    .replaceAll(/[\s*`_]+/g, " ")
    .trim()
    .toLowerCase()
}

const MAX_LOOKED_AT = 2000
// As much as a shortened line surely has of it.
const MATCHED_CHARS = 60
// What is shorter may be part of anything.
const MIN_CHARS = 12
