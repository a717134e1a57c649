import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { type Mem, mem as memSchema } from "../../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { checkedBody, withSum } from "../log/line.ts"
import { idOf, linesFrom, mergeSorted, openIfThere, writeSorted } from "./sorted-file.ts"

/** Mems that left the hot set, in files sorted by id. A mem may stand in several files: the newest one counts. */
export interface ArchiveFile {
  file: string
  /** How many mems it holds. */
  mems: number
  /** Its length: one of another length was damaged. */
  bytes: number
}

export function openArchive(folder: string, newestFiles: () => readonly ArchiveFile[] | undefined) {
  /** The newest last, as the manifest names them. */
  let files: readonly ArchiveFile[] = []
  /** Of an older format, before it is upgraded. */
  let held: ReadonlyMap<string, Mem> = new Map()

  /** Files in which something was found that is not as it was written, with what is wrong. */
  const damaged = new Map<string, string>()

  const pathOf = (file: string) => join(folder, file)

  function find(id: string): Mem | undefined {
    const found = held.get(id) ?? findIn(files, id)
    if (found !== undefined) return found
    // Another process may have moved it here, or put the files together.
    const newest = newestFiles()
    if (newest === undefined) return undefined
    files = newest
    return findIn(files, id)
  }

  function findIn(named: readonly ArchiveFile[], id: string): Mem | undefined {
    for (const each of [...named].reverse()) {
      const found = lookUp(each, id)
      if (found !== undefined) return found
    }
    return undefined
  }

  function checkLength({ file, bytes }: Pick<ArchiveFile, "file" | "bytes">): void {
    const size = statSync(pathOf(file), { throwIfNoEntry: false })?.size
    if (size === undefined) damaged.set(file, "the file is gone")
    else if (size !== bytes) damaged.set(file, "the file does not have the length that it was written with")
    else damaged.delete(file)
  }

  function lookUp(each: ArchiveFile, id: string): Mem | undefined {
    checkLength(each)
    return lookUpIn(each, id, (check) => linesFrom(pathOf(each.file), id, check))
  }

  /** By a search in the sorted lines; where one of them is damaged, by looking at all. */
  function lookUpIn(
    { file }: ArchiveFile,
    id: string,
    linesFromId: (check: (line: string) => void) => Iterable<string>,
  ): Mem | undefined {
    const check = (line: string) => {
      if (!isWhole(line)) damaged.set(file, "a line is damaged")
    }
    if (!damaged.has(file)) {
      const line = firstOf(linesFromId(check))
      if (!damaged.has(file)) return line !== undefined && idOf(line) === id ? parse(line) : undefined
    }
    for (const line of linesFrom(pathOf(file), "")) if (idOf(line) === id && isWhole(line)) return parse(line)
    return undefined
  }

  function* search(text: string): Pausing<Mem[]> {
    const wanted = JSON.stringify(text).slice(1, -1)
    const found = [...held.values()].filter((mem) => JSON.stringify(mem).includes(wanted))
    let count = 0
    for (const line of mergeSorted(files.map(({ file }) => linesFrom(pathOf(file), "")))) {
      const mem = line.includes(wanted) ? parse(line) : undefined
      if (mem !== undefined) found.push(mem)
      if (++count % PAUSE_EVERY === 0) yield
    }
    return found
  }

  return {
    use(named: readonly ArchiveFile[]): void {
      files = named
      held = new Map()
      // There are only ever a few.
      for (const file of named) checkLength(file)
    },
    hold(mems: readonly Mem[]): void {
      held = new Map(mems.map((mem) => [mem.id, mem]))
    },
    files: () => files,
    /** What was found to be damaged. The log has the mems that are lost with it. */
    problems: (): Problem[] =>
      [...damaged]
        .filter(([file]) => files.some((each) => each.file === file))
        .map(([file, reason]) => quarantined("broken_file", `graph/archive/${file}`, reason)),
    /** Looks at every line: what is wrong, in words. */
    *check(): Pausing<string[]> {
      const wrong: string[] = []
      for (const { file, mems } of files) {
        let count = 0
        for (const line of linesFrom(pathOf(file), "")) {
          count++
          if (!isWhole(line)) wrong.push(`graph/archive/${file}:${count}: the line is damaged`)
          if (count % PAUSE_EVERY === 0) yield
        }
        if (count !== mems) wrong.push(`graph/archive/${file} has ${count} lines of ${mems}`)
      }
      return wrong
    },
    /** About how many there are: one that left twice may count twice. */
    size: () => files.reduce((sum, { mems }) => sum + mems, held.size),
    has: (id: string) => find(id) !== undefined,
    get: find,
    /** For many questions in a row while nobody folds: the files stay open, and answers are kept. To be closed. */
    lookups() {
      files = newestFiles() ?? files
      for (const each of files) checkLength(each)
      const opened = [...files].reverse().map((each) => ({ each, lines: openIfThere(pathOf(each.file)) }))
      const known = new Map<string, Mem | undefined>()
      const search = (id: string): Mem | undefined => {
        const hot = held.get(id)
        if (hot !== undefined) return hot
        for (const { each, lines } of opened) {
          const found = lookUpIn(each, id, (check) => lines?.from(id, check) ?? [])
          if (found !== undefined) return found
        }
        return undefined
      }
      return {
        get(id: string): Mem | undefined {
          if (!known.has(id)) known.set(id, search(id))
          return known.get(id)
        },
        close: () => {
          for (const { lines } of opened) lines?.close()
        },
      }
    },
    /** Archived mems whose id begins like that, at most so many. */
    startingWith(prefix: string, limit: number): Mem[] {
      const found = new Map([...held].filter(([id]) => id.startsWith(prefix)).slice(0, limit))
      for (const { file } of files) {
        for (const line of linesFrom(pathOf(file), prefix)) {
          if (!idOf(line).startsWith(prefix) || found.size >= limit) break
          const mem = parse(line)
          if (mem !== undefined) found.set(mem.id, mem)
        }
      }
      return [...found.values()]
    },
    *walk(isKnown: (id: string) => boolean): Iterable<Mem | undefined> {
      for (const [id, mem] of held) if (!isKnown(id)) yield mem
      let count = 0
      for (const line of mergeSorted(files.map(({ file }) => linesFrom(pathOf(file), "")))) {
        const mem = isKnown(idOf(line)) ? undefined : parse(line)
        if (mem !== undefined || ++count % PAUSE_EVERY === 0) yield mem
      }
    },
    /** Of these mems, those that it does not have. */
    *lacking(ids: ReadonlySet<string>): Pausing<Set<string>> {
      const missing = new Set(ids)
      if (missing.size === 0) return missing
      for (const id of held.keys()) missing.delete(id)
      let count = 0
      for (const line of mergeSorted(files.map(({ file }) => linesFrom(pathOf(file), "")))) {
        if (parse(line) !== undefined) missing.delete(idOf(line))
        if (++count % PAUSE_EVERY === 0) yield
      }
      return missing
    },
    /** Those that hold this text. */
    naming: (text: string): Promise<Mem[]> => runInSlices(search(text)),
    /**
     * Writes mems that leave the hot set into a file of their own, taking in files of before that are not much larger:
     * so there are only ever a few files, and a mem is rewritten only a few times. Returns the files of then; the new
     * one is not synced yet.
     */
    *add(mems: readonly Mem[], name: string): Pausing<ArchiveFile[]> {
      mkdirSync(folder, { recursive: true })
      const lines: string[] = []
      for (const mem of mems) {
        lines.push(withSum(JSON.stringify({ ...mem, id: mem.id }), NO_SEGMENT))
        yield
      }
      lines.sort()
      let size = lines.reduce((sum, line) => sum + line.length, 0)
      let kept = files.length
      for (; kept > 0; kept--) {
        const { file, bytes } = files[kept - 1] as ArchiveFile
        const before = statSync(pathOf(file), { throwIfNoEntry: false })?.size
        // One that is gone or damaged may come back: it stays as it is.
        if (before === undefined || before !== bytes || before > MUCH_LARGER * size) break
        size += before
      }
      const taken = files.slice(kept).map(({ file }) => linesFrom(pathOf(file), ""))
      const { count, bytes } = yield* writeSorted(pathOf(name), mergeSorted([...taken, lines.values()]))
      return [...files.slice(0, kept), { file: name, mems: count, bytes }]
    },
  }
}

export type Archive = ReturnType<typeof openArchive>

/** Undefined for a line that is damaged: the log still has what was in it. */
function parse(line: string): Mem | undefined {
  const body = checkedBody(Buffer.from(line), NO_SEGMENT)
  return body === undefined ? undefined : memSchema.safeParse(JSON.parse(body)).data
}

/** And ends what gives it: that may hold a file open. */
function firstOf<T>(all: Iterable<T>): T | undefined {
  for (const each of all) return each
  return undefined
}

function isWhole(line: string): boolean {
  return checkedBody(Buffer.from(line), NO_SEGMENT) !== undefined
}

const NO_SEGMENT = 0
const MUCH_LARGER = 4
const PAUSE_EVERY = 500
