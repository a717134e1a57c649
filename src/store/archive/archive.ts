import { join } from "node:path"
import { linksFrom } from "../../graph/links.ts"
import { type Problem, quarantined } from "../../graph/problem.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { counted } from "../../shared/amounts.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { failureReason } from "../../shared/system-error.ts"
import { statSync } from "../files/hive-fs.ts"
import { type Gone, isWhole, memOf, parseLine } from "./archive-line.ts"
import { archiveFold } from "./archive-name.ts"
import { type ArchiveFile, growArchive } from "./grow-archive.ts"
import { idOf, linesFrom, mergeSorted, openIfThere } from "./sorted-file.ts"

/**
 * Mems that left the hot set, in files sorted by id. A mem may stand in several files: the newest one counts, and may say
 * that the mem is gone.
 */
export function openArchive(
  folder: string,
  newestFiles: () => readonly ArchiveFile[] | undefined,
  /** Says of a mem whether it was dropped since the last fold: what the files have of it does not count any more. */
  isDropped: (id: string) => boolean = () => false,
) {
  /** The newest last, as the manifest names them. */
  let files: readonly ArchiveFile[] = []
  /** Taken from the log because their file is lost. */
  let held: ReadonlyMap<string, Mem> = new Map()
  /** How many mems have lost their file. */
  let lost = 0

  /** Files in which something was found that is not as it was written, with what is wrong. */
  const damaged = new Map<string, string>()

  const pathOf = (file: string) => join(folder, file)

  /** A file that cannot be opened counts as damaged: everything else is read. */
  const fail = (file: string, error: unknown) =>
    damaged.set(file, `the file cannot be read (${failureReason(error)})`)

  const linesOf = (file: string, from: string, check?: (line: string) => void) =>
    linesFrom(pathOf(file), from, check, (error) => fail(file, error))

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
  function newestLines(from = "", named = files): Generator<string, void, void> {
    return mergeSorted(named.map(({ file }) => linesOf(file, from)))
  }

  function read(line: string): Mem | undefined {
    return isDropped(idOf(line)) ? undefined : memOf(parseLine(line))
  }

  function checkLength({ file, bytes }: Pick<ArchiveFile, "file" | "bytes">): void {
    const size = statSync(pathOf(file), { throwIfNoEntry: false })?.size
    if (size === undefined) damaged.set(file, "the file is gone")
    else if (size !== bytes) damaged.set(file, "the file does not have the length that it was written with")
    else damaged.delete(file)
  }

  function lookUp(each: ArchiveFile, id: string): Mem | Gone | undefined {
    checkLength(each)
    return lookUpIn(each, id, (check) => linesOf(each.file, id, check))
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
      if (!damaged.has(file)) return line !== undefined && idOf(line) === id ? parseLine(line) : undefined
    }
    for (const line of linesOf(file, "")) if (idOf(line) === id && isWhole(line)) return parseLine(line)
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

  /** `since`: only in files whose names have this number, or a later one. */
  function* linkingTo(ids: ReadonlySet<string>, since = 0): Pausing<Mem[]> {
    const found: Mem[] = []
    const isOneOf = (id: string | null) => id !== null && ids.has(id)
    const named = files.filter(({ file }) => (archiveFold(file) ?? since) >= since)
    const isLinkingMem = (mem: Mem) => linksFrom("mem").some((link) => link.ids(mem).some(isOneOf))
    found.push(...[...held.values()].filter(isLinkingMem))
    let count = 0
    for (const line of ids.size === 0 ? [] : newestLines("", named)) {
      const mem = line.match(ANY_ID)?.some((id) => ids.has(id)) ? read(line) : undefined
      if (mem !== undefined && isLinkingMem(mem)) found.push(mem)
      if (++count % PAUSE_EVERY === 0) yield
    }
    return found
  }

  return {
    use(named: readonly ArchiveFile[]): void {
      files = named
      held = new Map()
      lost = 0
      // There are only ever a few.
      for (const file of named) checkLength(file)
    },
    hold(mems: readonly Mem[], lostMems = 0): void {
      held = new Map(mems.map((mem) => [mem.id, mem]))
      lost = lostMems
    },
    files: () => files,
    /** Those in which no damage was found. */
    soundFiles: () => files.filter(({ file }) => !damaged.has(file)),
    /** Some mems are neither in a sound file nor held: only the log has them. */
    isDamaged: () => lost > held.size || files.some(({ file }) => damaged.has(file)),
    /** Damage that was found. The log has the mems that are lost with it. */
    problems: (): Problem[] => [
      ...(lost === 0 ? [] : [lostFile(lost, held.size)]),
      ...[...damaged]
        .filter(([file]) => files.some((each) => each.file === file))
        .map(([file, reason]) => quarantined("broken_file", `graph/archive/${file}`, reason)),
    ],
    /** Looks at every line: what is wrong, in words. */
    *check(): Pausing<string[]> {
      const wrong: string[] = []
      for (const { file, mems } of files) {
        let count = 0
        for (const line of linesOf(file, "")) {
          count++
          if (!isWhole(line)) {
            wrong.push(`graph/archive/${file}:${count}: the line is damaged`)
            damaged.set(file, "a line is damaged")
          }
          if (count % PAUSE_EVERY === 0) yield
        }
        if (count === mems) continue
        wrong.push(`graph/archive/${file} has ${count} lines of ${mems}`)
        damaged.set(file, `the file has ${count} lines of ${mems}`)
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
      const opened = [...files]
        .reverse()
        .map((each) => ({ each, lines: openIfThere(pathOf(each.file), (error) => fail(each.file, error)) }))
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
    *walk(isKnown: (id: string) => boolean, from = ""): Iterable<Mem | undefined> {
      for (const [id, mem] of held) if (!isKnown(id)) yield mem
      let count = 0
      for (const line of newestLines(from)) {
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
    /** As the newest of these files that names it has it, dropped or not. */
    storedIn: (named: readonly ArchiveFile[], id: string): Mem | undefined => memOf(findIn(named, id)),
    /** Which of these mems the files have. */
    *storedAmong(named: readonly ArchiveFile[], ids: Iterable<string>): Pausing<string[]> {
      const stored: string[] = []
      for (const id of ids) {
        if (memOf(findIn(named, id)) !== undefined) stored.push(id)
        yield
      }
      return stored
    },
    /** Writes mems that leave the hot set, and which ones are gone, into a file of that name. */
    add: (
      mems: readonly Mem[],
      gone: readonly string[],
      name: string,
      before = files,
    ): Pausing<ArchiveFile[]> => growArchive(folder, before, { mems, gone, name }),
  }
}

export type Archive = ReturnType<typeof openArchive>

function lostFile(lost: number, held: number): Problem {
  const read = held < lost ? `${held} of them are` : "until the next fold it is"
  const reason = `the archive file of ${counted(lost, "mem")} is lost; ${read} read from the log`
  return quarantined("missing_file", "graph/archive/", reason)
}

/** And ends what gives it: that may hold a file open. */
function firstOf<T>(all: Iterable<T>): T | undefined {
  for (const each of all) return each
  return undefined
}

const ANY_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const PAUSE_EVERY = 500
