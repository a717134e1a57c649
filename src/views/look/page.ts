/** Some of many, as every list is given: to people, to programs, to a page in the browser. */
export interface Page<T> {
  items: T[]
  /** How many fit what was asked for. */
  total: number
  /** How many come after these. */
  more: number
}

export interface Paging {
  limit: number
  /** From 1 on. */
  page: number
}

/** For programs that want the whole list. */
export const EVERYTHING: Paging = { limit: Number.MAX_SAFE_INTEGER, page: 1 }

/** One page, each of its items as `rowOf` describes it: only what is shown is looked at closely. */
export function pageWith<T, R>(all: readonly T[], paging: Paging, rowOf: (item: T) => R): Page<R> {
  const { items, ...rest } = pageOf(all, paging)
  return { items: items.map(rowOf), ...rest }
}

export function pageOf<T>(all: readonly T[], { limit, page }: Paging): Page<T> {
  const end = page * limit
  return { items: all.slice(end - limit, end), total: all.length, more: Math.max(0, all.length - end) }
}

/** Whether each of these words stands in one of the texts, in any case. */
export function hasWords(words: string | undefined, ...texts: (string | null)[]): boolean {
  if (words === undefined) return true
  const text = texts.join("\n").toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
