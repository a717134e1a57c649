import type { Command } from "commander"
import { hasWords, type Page, type Paging, pageOf } from "../../views/look/page.ts"
import type { CliResult } from "./command.ts"
import { parseLimit } from "./parse-limit.ts"
import type { Style } from "./style.ts"

export interface ListingOptions {
  limit: string
  page: string
  find?: string
}

/** The options that all lists have. */
export function addListingOptions(command: Command, limit = "20"): Command {
  return command
    .option("--find <words>", "only those with all of these words")
    .option("--limit <n>", "how many at once", limit)
    .option("--page <n>", "which of them: 1 for the first so many, 2 for the next", "1")
}

export function pagingOf({ limit, page }: Pick<ListingOptions, "limit" | "page">): Paging {
  return { limit: parseLimit(limit), page: parseLimit(page, "--page") }
}

/** One page of a list, for people and, as `{items, total, more}`, for programs. */
export function listing<T>(
  page: Page<T>,
  paging: Paging,
  words: { project: string; empty: string; style: Style; render: (item: T) => string[] },
): CliResult {
  const lines = page.items.flatMap(words.render)
  const note = pageNote(page, paging)
  const text =
    page.total === 0 ? [words.empty] : [...lines, ...(note === undefined ? [] : [words.style("dim", note)])]
  return { data: { project: words.project, ...page }, text: text.join("\n") }
}

/** A page of what is read in its order, as a conversation: the last ones are on the first page. */
export function pagedNewest<T>(
  all: readonly T[],
  options: ListingOptions,
  textOf: (item: T) => string,
): { page: Page<T>; note: string | undefined } {
  const paging = pagingOf(options)
  const found = all.filter((item) => hasWords(options.find, textOf(item)))
  const page = pageOf(found.toReversed(), paging)
  const note = pageNote(page, paging)?.replace("shows the next", "shows those before")
  return { page: { ...page, items: page.items.reverse() }, note }
}

/** Undefined where all of it is there. */
function pageNote({ items, total, more }: Page<unknown>, { limit, page }: Paging): string | undefined {
  if (items.length === total) return undefined
  const from = (page - 1) * limit + 1
  if (items.length === 0) return `There are ${total}; page ${page} is past the last one.`
  const shown = `${from} to ${from + items.length - 1} of ${total}`
  return more > 0 ? `${shown}; \`--page ${page + 1}\` shows the next.` : `${shown}.`
}
