import { z } from "zod"
import { derivedId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { IndexFiles } from "../../store/index-files.ts"
import { eachTerm } from "../words/terms.ts"
import { DamagedIndex, DiskPart } from "./disk-part.ts"
import { docOf, type IndexPart, type PartDoc, posting, type TermItems, weightOf } from "./index-part.ts"
import { encodePart, type ListedFile, type PartContent } from "./part-format.ts"

// Places in a file are numbers of 4 bytes.
const size = z
  .int()
  .min(0)
  .max(2 ** 32)

const listSchema = z.object({
  /** Changes with the file format and with how texts become terms. */
  format: z.string(),
  /** All changes of mems up to this entry of the log are in the files. */
  after: z.string(),
  /** Archived mems up to this id are in the files; null: all. */
  walked: z.string().nullable(),
  /** Newest last. */
  files: z.array(
    z.object({
      // No path: a repository may bring a forged list along.
      file: z.string().regex(/^[\w-]+\.words$/),
      docs: size,
      footer: size,
      bytes: size,
      sum: z.int(),
      /** Mems that were dropped since the file was written, or have a newer version elsewhere. */
      removed: z.array(size),
    }),
  ),
})
type IndexList = z.infer<typeof listSchema>

type Progress = Pick<IndexList, "after" | "walked">

/** The index on disk: files, and a list of those that count. */
export function openDiskIndex(disk: IndexFiles) {
  /** The list as it was last read or written. */
  let text: string | undefined

  function compare(): "same" | "changed" | "gone" {
    try {
      const found = disk.list()
      if (found === text) return "same"
      return found === undefined ? "gone" : "changed"
    } catch {
      return "same" // It cannot be read now, which says nothing about the files.
    }
  }

  return {
    /** How the list on disk compares with the one that was last read or written. */
    compare,
    /** Undefined if there is no index, or none that can be used: then it is rebuilt. */
    *load(tries = MAX_TRIES): Pausing<(Progress & { files: DiskPart[] }) | undefined> {
      text = undefined
      try {
        text = disk.list()
        if (text === undefined) return undefined
        const { format, after, walked, files: listed } = listSchema.parse(JSON.parse(text))
        if (format !== FORMAT) return undefined
        const files: DiskPart[] = []
        for (const { removed, ...file } of listed) files.push(yield* DiskPart.load(disk, file, removed))
        return { after, walked, files }
      } catch {
        // Another process may have merged and removed the files while they were read.
        if (tries > 1 && compare() === "changed") return yield* this.load(tries - 1)
        return undefined
      }
    },
    /** Writes a file, which counts once it is on the list. */
    async write(content: PartContent): Promise<DiskPart> {
      let made: Omit<ListedFile, "file"> | undefined
      const file = await disk.write(
        (function* () {
          made = yield* encodePart(content)
        })(),
      )
      if (made === undefined) throw new DamagedIndex(file)
      return runInSlices(DiskPart.load(disk, { file, ...made }))
    },
    /** False if another process has changed the list. */
    async replaceList(progress: Progress, files: readonly DiskPart[]): Promise<boolean> {
      const listed = files.map((part) => ({ ...part.listed, removed: removedFrom(part) }))
      const next = JSON.stringify({ format: FORMAT, ...progress, files: listed } satisfies IndexList)
      const names = listed.map(({ file }) => file)
      if (!(await disk.replaceList(text, next, names))) return false
      text = next
      return true
    },
  }
}

function removedFrom({ lengths, hasRemoved }: DiskPart): number[] {
  const removed: number[] = []
  // A plain loop: there may be a million.
  if (hasRemoved) for (let doc = 0; doc < lengths.length; doc++) if (lengths[doc] === 0) removed.push(doc)
  return removed
}

/** Several parts as the content of one file, without removed mems; and the row that each mem has in it. */
export function mergeParts(parts: readonly IndexPart[]): { content: PartContent; rows: Uint32Array[] } {
  const rows = parts.map(({ range }) => new Uint32Array(range).fill(NO_ROW))
  return { content: { docs: mergedDocs(parts, rows), terms: mergedTerms(parts, rows) }, rows }
}

/** Fills in `rows`, which the terms need. */
function* mergedDocs(parts: readonly IndexPart[], rows: readonly Uint32Array[]): Iterable<PartDoc> {
  let row = 0
  for (const found of inOrder(
    parts.map((part) => part.docs()),
    ({ id }) => id,
  ))
    for (const { value, from } of found) {
      const own = rows[from]
      if (own !== undefined) own[value.doc] = row++
      yield value
    }
}

function* mergedTerms(parts: readonly IndexPart[], rows: readonly Uint32Array[]): Iterable<TermItems> {
  for (const found of inOrder(
    parts.map((part) => part.terms()),
    ({ term }) => term,
  )) {
    const lists = found.map(({ value, from }) => inRows(value.items, rows[from] ?? new Uint32Array(0)))
    const items = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0))
    let at = 0
    for (const list of lists) {
      items.set(list, at)
      at += list.length
    }
    if (items.length > 0) yield { term: found[0]?.value.term ?? "", items }
  }
}

/** Merges sorted sources; entries with the same key come together. */
function* inOrder<T>(
  sources: readonly Generator<T, void, void>[],
  keyOf: (value: T) => string,
): Iterable<{ value: T; from: number }[]> {
  const heads = sources.map((source) => source.next().value ?? undefined)
  for (;;) {
    let least: string | undefined
    for (const head of heads)
      if (head !== undefined && (least === undefined || keyOf(head) < least)) least = keyOf(head)
    if (least === undefined) return
    const found: { value: T; from: number }[] = []
    for (const [from, value] of heads.entries()) {
      if (value === undefined || keyOf(value) !== least) continue
      found.push({ value, from })
      heads[from] = sources[from]?.next().value ?? undefined
    }
    yield found
  }
}

function inRows(items: Uint32Array, rows: Uint32Array): Uint32Array {
  const found = new Uint32Array(items.length)
  let count = 0
  for (const item of items) {
    const row = rows[docOf(item)] ?? NO_ROW
    if (row !== NO_ROW) found[count++] = posting(row, weightOf(item))
  }
  return found.subarray(0, count)
}

/** The terms of a sample text: an index of other terms has to be rebuilt. */
function signOfTerms(): string {
  const terms: string[] = []
  const content =
    "Why we chose PostgreSQL over the SQLite3 files: users' sessions were being re-written, see src/db/http_server.ts. " +
    "Wir haben die größeren Tabellen in Häusern gespeichert und die Einstellungen übernommen. 日本語 résumé v2.10.3"
  eachTerm({ content, tags: ["some-tag"], evidence: ["file:src/a/fooBar.ts"], reason: "Reasons" }, (term) =>
    terms.push(term),
  )
  return derivedId(...terms)
}

const NO_ROW = 0xffffffff
const MAX_TRIES = 3
const FORMAT = `2 ${signOfTerms()}`
