import { z } from "zod"
import { derivedId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { IndexFiles } from "../../store/index-files.ts"
import { eachTerm } from "../words/terms.ts"
import { DamagedIndex, DiskPart } from "./disk-part.ts"
import { docOf, type IndexPart, type PartDoc, posting, type TermItems, weightOf } from "./index-part.ts"
import { encodePart, type ListedFile, type PartContent } from "./part-format.ts"

const size = z
  .int()
  .min(0)
  .max(2 ** 32)

const listSchema = z.object({
  /** The file format and the rules that split text into terms. A file with another value is built again. */
  format: z.string(),
  /** The id of the last log entry whose changes are in the files. */
  after: z.string(),
  /** The id of the last archived mem in the files, in the order of ids; null if all of them are. */
  walked: z.string().nullable(),
  files: z.array(
    z.object({
      // Must be a file name and no path, because a cloned repository may contain a forged list.
      file: z.string().regex(/^[\w-]+\.words$/),
      docs: size,
      footer: size,
      bytes: size,
      sum: z.int(),
      /** Numbers of mems in this file that no longer count: dropped, or newer in another file. */
      removed: z.array(size),
    }),
  ),
})
type IndexList = z.infer<typeof listSchema>

type Progress = Pick<IndexList, "after" | "walked">

export function openDiskIndex(disk: IndexFiles) {
  let text: string | undefined

  function compare(): "same" | "changed" | "gone" {
    try {
      const found = disk.list()
      if (found === text) return "same"
      return found === undefined ? "gone" : "changed"
    } catch {
      return "same" // An unreadable list counts as unchanged, because the index files may still be good.
    }
  }

  return {
    compare,
    /** Loads the index. Undefined if it is missing or unusable: the caller then builds it again. */
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
    /** Writes an index file. Readers ignore it until `replaceList` has listed it. */
    async write(content: PartContent): Promise<DiskPart> {
      let made: Omit<ListedFile, "file"> | undefined
      function* pieces() {
        made = yield* encodePart(content)
      }
      const file = await disk.write(pieces())
      if (made === undefined) throw new DamagedIndex(file)
      return runInSlices(DiskPart.load(disk, { file, ...made }))
    },
    /** Replaces the list of files. False if another process has changed the list since this one read it. */
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
  // A plain loop for speed: there may be a million mems.
  if (hasRemoved) for (let doc = 0; doc < lengths.length; doc++) if (lengths[doc] === 0) removed.push(doc)
  return removed
}

/** Merges parts into the content of one file without removed mems, and returns each mem's row in that file. */
export function mergeParts(parts: readonly IndexPart[]): { content: PartContent; rows: Uint32Array[] } {
  const rows = parts.map(({ range }) => new Uint32Array(range).fill(NO_ROW))
  return { content: { docs: mergedDocs(parts, rows), terms: mergedTerms(parts, rows) }, rows }
}

function* mergedDocs(parts: readonly IndexPart[], rows: readonly Uint32Array[]): Iterable<PartDoc> {
  let row = 0
  const docs = parts.map((part) => part.docs())
  for (const found of inOrder(docs, ({ id }) => id))
    for (const { value, from } of found) {
      const own = rows[from]
      if (own !== undefined) own[value.doc] = row++
      yield value
    }
}

function* mergedTerms(parts: readonly IndexPart[], rows: readonly Uint32Array[]): Iterable<TermItems> {
  const sorted = parts.map((part) => part.terms())
  for (const found of inOrder(sorted, ({ term }) => term)) {
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

/** A hash of a sample text's terms. If it changes, the splitting of text has changed and the index is built again. */
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
