import { resolveId } from "../../graph/resolve-id.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { RecordOf } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"

/** One page of a list, for the command line, programs and the dashboard. */
export interface Page<T> {
  items: T[]
  total: number
  more: number
}

export interface Paging {
  limit: number
  page: number
}

export const EVERYTHING: Paging = { limit: Number.MAX_SAFE_INTEGER, page: 1 }

/** One page of rows. `rowOf` is only called for the items of that page. */
export function pageWith<T, R>(all: readonly T[], paging: Paging, rowOf: (item: T) => R): Page<R> {
  const { items, ...rest } = pageOf(all, paging)
  return { items: items.map(rowOf), ...rest }
}

export function pageOf<T>(all: readonly T[], { limit, page }: Paging): Page<T> {
  const end = page * limit
  return { items: all.slice(end - limit, end), total: all.length, more: Math.max(0, all.length - end) }
}

/** True if every word is in one of the texts, ignoring case. */
export function hasWords(words: string | undefined, ...texts: (string | null)[]): boolean {
  if (words === undefined) return true
  const text = texts.join("\n").toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export function requireListed<K extends "plan" | "task">(state: GraphState, kind: K, given: string) {
  const found = recordsOf(state, kind).get(idOf(state, kind, given))
  if (found !== undefined) return found as RecordOf<K>
  throw new HiveError({
    code: "not_found",
    what: `There is no ${kind} ${given}.`,
    why: `No ${kind} has an id that starts with this.`,
    use_instead: `\`hivemind ${kind}s\` shows them, with their ids.`,
    evidence: given,
  })
}

function idOf(state: GraphState, kind: "plan" | "task", given: string): string {
  try {
    return resolveId(state, kind, given)
  } catch (error) {
    // An ambiguous id throws an error that lists the candidates. For an unknown id, the caller throws its own error.
    if (error instanceof HiveError && error.evidence !== given) throw error
    return ""
  }
}
