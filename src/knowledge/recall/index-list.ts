import { z } from "zod"
import { derivedId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { IndexFiles } from "../../store/index-files.ts"
import { DamagedIndex, IndexFile } from "./index-file.ts"
import { encodeIndex, type IndexContent, type ListedFile } from "./index-format.ts"
import { eachTerm } from "./terms.ts"

// No path: a repository may bring a list along.
const FILE_NAME = /^[\w-]+\.words$/

// Places in a file are numbers of 4 bytes.
const MAX_BYTES = 2 ** 32

const listSchema = z.object({
  /** Of another way to write files, or to make terms of texts, nothing can be used. */
  format: z.string(),
  /** The entry of the log up to which all changes of mems are in the files. */
  after: z.string(),
  /** Archived mems up to this id are in the files; null: all. */
  walked: z.string().nullable(),
  /** The newest last. */
  files: z.array(
    z.object({
      file: z.string().regex(FILE_NAME),
      docs: z.int().min(0).max(MAX_BYTES),
      footer: z.int().min(0).max(MAX_BYTES),
      bytes: z.int().min(0).max(MAX_BYTES),
      sum: z.int(),
    }),
  ),
})

/** Which files are the index, and how much of the graph they hold. */
export type IndexList = Omit<z.infer<typeof listSchema>, "format">

export interface LoadedIndex {
  list: IndexList
  files: IndexFile[]
}

/** The list of the index's files on disk. */
export function openIndexList(disk: IndexFiles) {
  /** As it was read or written last. */
  let text: string | undefined

  /** How the list on disk compares with the one that was read or written last. */
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
    compare,
    /** Undefined where there is none, or it cannot be used. */
    *load(tries = MAX_TRIES): Pausing<LoadedIndex | undefined> {
      text = undefined
      try {
        text = disk.list()
        const list = parsed(text)
        if (list === undefined) return undefined
        const files: IndexFile[] = []
        for (const listed of list.files) files.push(yield* IndexFile.load(disk, listed))
        return { list, files: markDead(files) }
      } catch {
        // Another process has put files together while these were read, and has removed them.
        if (tries > 1 && compare() === "changed") return yield* this.load(tries - 1)
        return undefined // The index is built anew: it may be damaged in any way.
      }
    },
    /** Writes a file; it counts once it is on the list. */
    async write(content: IndexContent): Promise<IndexFile> {
      let made: Omit<ListedFile, "file"> | undefined
      const file = await disk.write(
        (function* () {
          made = yield* encodeIndex(content)
        })(),
      )
      if (made === undefined) throw new DamagedIndex(file)
      return runInSlices(IndexFile.load(disk, { file, ...made }))
    },
    /** False where another process has changed the list. */
    async replace(list: IndexList): Promise<boolean> {
      const next = JSON.stringify({ format: FORMAT, ...list })
      const names = list.files.map(({ file }) => file)
      if (!(await disk.replaceList(text, next, names))) return false
      text = next
      return true
    },
  }
}

function parsed(text: string | undefined): IndexList | undefined {
  if (text === undefined) return undefined
  try {
    const list = listSchema.parse(JSON.parse(text))
    return list.format === FORMAT ? list : undefined
  } catch {
    return undefined // A damaged list is as good as none: the index is built anew.
  }
}

/** Newer files tell which mems of older ones do not count any more. */
function markDead(files: IndexFile[]): IndexFile[] {
  for (const { dead } of files)
    for (const file of files) for (const doc of dead[file.listed.file] ?? []) file.kill(doc)
  for (const file of files) file.killed.clear()
  return files
}

/** Another one where the terms of a text are others. */
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

const MAX_TRIES = 3
const FORMAT = `1 ${signOfTerms()}`
