import { hasWords, type Page, type Paging, pageOf } from "../../views/lists/page.ts"
import type { CliInput, CliResult } from "./command.ts"
import type { ListingOptions } from "./options.ts"

interface ListTexts<T> {
  /** The filters that were applied; an empty object means the whole list. */
  filter: object
  none: string
  noneFound: string
  render: (item: T) => string[]
}

/** The result of a list command: one page as text for people, and as `{items, total, more}` for `--json`. */
export function listing<T>(
  { options, style }: CliInput<ListingOptions>,
  page: Page<T>,
  { filter, none, noneFound, render }: ListTexts<T>,
): CliResult {
  const note = pageNote(page, options)
  const empty = Object.keys(filter).length === 0 ? none : noneFound
  const lines = page.total === 0 ? [empty] : page.items.flatMap(render)
  return {
    data: { ...page },
    text: page.total === 0 || note === undefined ? lines : [...lines, style("dim", note)],
  }
}

/** Pages an ordered list, such as a conversation, so that the first page has the last items. */
export function pagedNewest<T>(
  all: readonly T[],
  options: ListingOptions,
  textOf: (item: T) => string,
): { page: Page<T>; note: string | undefined } {
  const found = all.filter((item) => hasWords(options.find, textOf(item)))
  const page = pageOf(found.toReversed(), options)
  const note = pageNote(page, options)?.replace("shows the next", "shows those before")
  return { page: { ...page, items: page.items.reverse() }, note }
}

function pageNote({ items, total, more }: Page<unknown>, { limit, page }: Paging): string | undefined {
  if (items.length === total) return undefined
  const from = (page - 1) * limit + 1
  if (items.length === 0) return `The list has ${total} entries; page ${page} is past its end.`
  const shown = `${from} to ${from + items.length - 1} of ${total}`
  return more > 0 ? `${shown}; \`--page ${page + 1}\` shows the next.` : `${shown}.`
}
