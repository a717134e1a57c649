import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { linksFrom } from "../../graph/links.ts"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { type Mem, mem as memSchema } from "../../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { checkedBody, withSum } from "../log/line.ts"
import { idOf, linesFrom, mergeSorted, openIfThere, writeSorted } from "./sorted-file.ts"

/**
 * Mems that left the hot set, in files sorted by id. A mem may stand in several files: the newest one counts, and may say
 * that the mem is gone.
 */
export interface ArchiveFile {
  file: string
  /** How many lines it has. */
  mems: number
  /** Its length: one of another length was damaged. */
  bytes: number
}

export function openArchive(
  folder: string,
  newestFiles: () => readonly ArchiveFile[] | undefined,
  /** Says of a mem whether it was dropped since the last fold: what the files have of it does not count any more. */
  isDropped: (id: string) => boolean = () => false,
) {
  /** The newest last, as the manifest names them. */
  let files: readonly ArchiveFile[] = []
  /** Of an older format, before it is upgraded. */
  let held: ReadonlyMap<string, Mem> = new Map()

  /** Files in which something was found that is not as it was written, with what is wrong. */
  const damaged = new Map<string, string>()

  const pathOf = (file: string) => join(folder, file)

  function find(id: string): Mem | undefined {
    if (isDropped(id)) return undefined
    const found = held.get(id) ?? findIn(files, id)
    if (found !== undefined) return memOf(found)
    // Another process may have moved it here, or put the files together.
    const newest = newestFiles()
    if (newest === undefined) return undefined
    files = newest
    return memOf(findIn(files, id))
  }

  function findIn(named: readonly ArchiveFile[], id: string): Mem | Gone | undefined {
    for (const each of [...named].reverse()) {
      const found = lookUp(each, id)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The newest lines of all mems whose ids are not before this one, with those of mems that are gone. */
  function newestLines(from = ""): Generator<string, void, void> {
    return mergeSorted(files.map(({ file }) => linesFrom(pathOf(file), from)))
  }

  function read(line: string): Mem | undefined {
    return isDropped(idOf(line)) ? undefined : memOf(parse(line))
  }

  function checkLength({ file, bytes }: Pick<ArchiveFile, "file" | "bytes">): void {
    const size = statSync(pathOf(file), { throwIfNoEntry: false })?.size
    if (size === undefined) damaged.set(file, "the file is gone")
    else if (size !== bytes) damaged.set(file, "the file does not have the length that it was written with")
    else damaged.delete(file)
  }

  function lookUp(each: ArchiveFile, id: string): Mem | Gone | undefined {
    checkLength(each)
    return lookUpIn(each, id, (check) => linesFrom(pathOf(each.file), id, check))
  }

  /** By a search in the sorted lines; where one of them is damaged, by looking at all. */
  function lookUpIn(
    { file }: ArchiveFile,
    id: string,
    linesFromId: (check: (line: string) => void) => Iterable<string>,
  ): Mem | Gone | undefined {
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
    for (const line of newestLines()) {
      const mem = line.includes(wanted) ? read(line) : undefined
      if (mem !== undefined) found.push(mem)
      if (++count % PAUSE_EVERY === 0) yield
    }
    return found
  }

  function* linkingTo(ids: ReadonlySet<string>): Pausing<Mem[]> {
    const found: Mem[] = []
    const isOneOf = (id: string | null) => id !== null && ids.has(id)
    let count = 0
    for (const line of ids.size === 0 ? [] : newestLines()) {
      const mem = line.match(ANY_ID)?.some((id) => ids.has(id)) ? read(line) : undefined
      const isLinking = mem !== undefined && linksFrom("mem").some((link) => link.ids(mem).some(isOneOf))
      if (isLinking) found.push(mem)
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
        if (isDropped(id)) return undefined
        const hot = held.get(id)
        if (hot !== undefined) return hot
        for (const { each, lines } of opened) {
          const found = lookUpIn(each, id, (check) => lines?.from(id, check) ?? [])
          if (found !== undefined) return memOf(found)
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
      for (const line of newestLines(prefix)) {
        if (!idOf(line).startsWith(prefix) || found.size >= limit) break
        const mem = read(line)
        if (mem !== undefined) found.set(mem.id, mem)
      }
      return [...found.values()]
    },
    *walk(isKnown: (id: string) => boolean): Iterable<Mem | undefined> {
      for (const [id, mem] of held) if (!isKnown(id)) yield mem
      let count = 0
      for (const line of newestLines()) {
        const mem = isKnown(idOf(line)) ? undefined : read(line)
        if (mem !== undefined || ++count % PAUSE_EVERY === 0) yield mem
      }
    },
    /** Of these mems, those that it does not have. */
    *lacking(ids: ReadonlySet<string>): Pausing<Set<string>> {
      const missing = new Set(ids)
      if (missing.size === 0) return missing
      for (const id of held.keys()) missing.delete(id)
      let count = 0
      for (const line of newestLines()) {
        if (read(line) !== undefined) missing.delete(idOf(line))
        if (++count % PAUSE_EVERY === 0) yield
      }
      return missing
    },
    /** Those that hold this text. */
    naming: (text: string): Promise<Mem[]> => runInSlices(search(text)),
    /** Those that link to one of these records. */
    linkingTo,
    /** Whether a file has a line of it, dropped or not. */
    holds: (id: string): boolean => memOf(findIn(files, id)) !== undefined,
    /**
     * Writes mems that leave the hot set into a file of their own, and which ones are gone, taking in files of before that
     * are not much larger: so there are only ever a few files, and a mem is rewritten only a few times. Returns the files
     * of then; the new one is not synced yet.
     */
    *add(mems: readonly Mem[], gone: readonly string[], name: string): Pausing<ArchiveFile[]> {
      mkdirSync(folder, { recursive: true })
      const lines: string[] = []
      for (const mem of mems) {
        lines.push(withSum(JSON.stringify({ ...mem, id: mem.id }), NO_SEGMENT))
        yield
      }
      for (const id of gone)
        lines.push(withSum(JSON.stringify({ id, gone: true } satisfies Gone), NO_SEGMENT))
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
      const merged = mergeSorted([...taken, lines.values()])
      // Where no older file is left, nothing needs to be said of those that are gone.
      const { count, bytes } = yield* writeSorted(pathOf(name), kept === 0 ? withoutGone(merged) : merged)
      return [...files.slice(0, kept), { file: name, mems: count, bytes }]
    },
  }
}

export type Archive = ReturnType<typeof openArchive>

/** Says of a mem that stands in an older file that it was dropped since. */
interface Gone {
  id: string
  gone: true
}

/** Undefined for a line that is damaged: the log still has what was in it. */
function parse(line: string): Mem | Gone | undefined {
  const body = checkedBody(Buffer.from(line), NO_SEGMENT)
  if (body === undefined) return undefined
  const value: Mem | Gone = JSON.parse(body)
  return "gone" in value ? value : memSchema.safeParse(value).data
}

function memOf(found: Mem | Gone | undefined): Mem | undefined {
  return found !== undefined && "gone" in found ? undefined : found
}

function* withoutGone(lines: Iterable<string>): Generator<string, void, void> {
  for (const line of lines) if (!line.startsWith(GONE, ID_END)) yield line
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
const ANY_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
// What follows the id in a line; it starts with that.
const ID_END = '{"id":"'.length + 36 + 1
const GONE = ',"gone":true'
const MUCH_LARGER = 4
const PAUSE_EVERY = 500
