import { FAILED_TASK } from "./failed-task.ts"
import type { IndexFile } from "./index-file.ts"
import { detailOf, type FiledDoc, type Footer, type IndexContent, type TermItems } from "./index-format.ts"
import { docOf, posting, weightOf } from "./postings.ts"
import type { TermIndex } from "./term-index.ts"

/** The mems of an index in memory, as a file holds them. Failed tasks are not among them. */
export function contentOf(index: TermIndex, dead: Footer["dead"]): IndexContent {
  const docs: FiledDoc[] = []
  const rows = new Uint32Array(index.range).fill(NO_ROW)
  for (const id of index.sortedIds()) {
    const doc = index.docWith(id) ?? 0
    const entry = index.entry(doc)
    if (entry === undefined || entry.kind === FAILED_TASK) continue
    rows[doc] = docs.push({ id, detail: detailOf(entry), length: index.lengths[doc] ?? 0 }) - 1
  }
  return { docs, terms: filedTerms(index, rows), dead }
}

function* filedTerms(index: TermIndex, rows: Uint32Array): Iterable<TermItems> {
  for (const [term, items] of index.sortedTerms()) {
    const filed = inRows(items, rows)
    if (filed.length > 0) yield { term, items: filed }
  }
}

/**
 * Several files as one, and the row that each mem has in it. Of mems that do not count any more nothing is left. The terms can be read once the mems were: only
 * then is it known which row each has.
 */
export function mergedContent(
  files: readonly IndexFile[],
  dead: Footer["dead"],
): { content: IndexContent; rows: readonly Uint32Array[] } {
  const rows = files.map(({ listed }) => new Uint32Array(listed.docs).fill(NO_ROW))
  return { content: { docs: mergedDocs(files, rows), terms: mergedTerms(files, rows), dead }, rows }
}

/** Notes the row that each mem gets. */
function* mergedDocs(files: readonly IndexFile[], rows: readonly Uint32Array[]): Iterable<FiledDoc> {
  const sources = files.map((file) => file.docs())
  const heads = sources.map((source) => source.next().value)
  for (let row = 0; ; row++) {
    let least = -1
    for (const [n, head] of heads.entries())
      if (head !== undefined && (least < 0 || head.id < (heads[least]?.id ?? ""))) least = n
    const found = heads[least]
    const target = rows[least]
    if (found === undefined || target === undefined) return
    target[found.doc] = row
    yield found
    heads[least] = sources[least]?.next().value
  }
}

function* mergedTerms(files: readonly IndexFile[], rows: readonly Uint32Array[]): Iterable<TermItems> {
  const sources = files.map((file) => file.terms())
  const heads = sources.map((source) => source.next().value ?? undefined)
  for (;;) {
    let least: string | undefined
    for (const head of heads)
      if (head !== undefined && (least === undefined || head.term < least)) least = head.term
    if (least === undefined) return
    const lists: Uint32Array[] = []
    for (const [n, head] of heads.entries()) {
      if (head?.term !== least) continue
      lists.push(inRows(head.items, rows[n] ?? NO_ROWS))
      heads[n] = sources[n]?.next().value ?? undefined
    }
    const items = joined(lists)
    if (items.length > 0) yield { term: least, items }
  }
}

function inRows(items: ArrayLike<number>, rows: Uint32Array): Uint32Array {
  const found = new Uint32Array(items.length)
  let count = 0
  for (let n = 0; n < items.length; n++) {
    const item = items[n] ?? 0
    const row = rows[docOf(item)] ?? NO_ROW
    if (row !== NO_ROW) found[count++] = posting(row, weightOf(item))
  }
  return found.subarray(0, count)
}

function joined(lists: readonly Uint32Array[]): Uint32Array {
  const [only] = lists
  if (only !== undefined && lists.length === 1) return only
  const all = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all
}

const NO_ROW = 0xffffffff
const NO_ROWS = new Uint32Array(0)
