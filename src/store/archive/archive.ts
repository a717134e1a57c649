import { join } from "node:path"
import { linksFrom } from "../../graph/links.ts"
import { type Problem, quarantined } from "../../graph/problem.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { counted } from "../../shared/amounts.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { failureReason } from "../../shared/system-error.ts"
import { statSync } from "../files/hive-fs.ts"
import {
  type ArchiveFile,
  archiveFold,
  type Gone,
  growArchive,
  isWhole,
  memOf,
  parseLine,
} from "./archive-file.ts"
import { idOf, linesFrom, mergeSorted, openIfThere } from "./sorted-file.ts"

/** Mems that left the hot set, in files sorted by id. Of a mem in several files the newest line counts, which may say "gone". */
export function openArchive(
  folder: string,
  newestFiles: () => readonly ArchiveFile[] | undefined,
  /** True for a mem that was dropped since the last fold: its copy in the files does not count any more. */
  isDropped: (id: string) => boolean = () => false,
) {
  /** As the manifest names them, the newest last. */
  let files: readonly ArchiveFile[] = []
  /** Mems from the log whose file is lost. */
  let held: ReadonlyMap<string, Mem> = new Map()
  /** How many mems have lost their file. */
  let lost = 0
  /** Damaged files, with the reason. */
  const damaged = new Map<string, string>()

  const pathOf = (file: string) => join(folder, file)

  /** A file that cannot be opened counts as damaged: the others are read. */
  const fail = (file: string, error: unknown) =>
    damaged.set(file, `the file cannot be read (${failureReason(error)})`)

  const linesOf = (file: string, from: string, check?: (line: string) => void) =>
    linesFrom(pathOf(file), from, check, (error) => fail(file, error))

  function find(id: string): Mem | undefined {
    if (isDropped(id)) return undefined
    const found = held.get(id) ?? findIn(files, id)
    if (found !== undefined) return memOf(found)
    // Another process may have archived it, or merged files.
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

  /** The newest line of each mem from an id on, including those that say "gone". */
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
    // A damaged line stays damaged, also where the next lookup does not come across it.
    else if (damaged.get(file) !== DAMAGED_LINE) damaged.delete(file)
  }

  function lookUp(each: ArchiveFile, id: string): Mem | Gone | undefined {
    checkLength(each)
    return lookUpIn(each, id, (check) => linesOf(each.file, id, check))
  }

  /** By binary search; in a damaged file, by reading all lines. */
  function lookUpIn(
    { file }: ArchiveFile,
    id: string,
    linesFromId: (check: (line: string) => void) => Iterable<string>,
  ): Mem | Gone | undefined {
    const check = (line: string) => {
      if (!isWhole(line)) damaged.set(file, DAMAGED_LINE)
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

  /** `since`: only in files of this fold or later ones. */
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
      damaged.clear()
      for (const file of named) checkLength(file)
    },
    hold(mems: readonly Mem[], lostMems = 0): void {
      held = new Map(mems.map((mem) => [mem.id, mem]))
      lost = lostMems
    },
    files: () => files,
    /** Files without known damage. */
    soundFiles: () => files.filter(({ file }) => !damaged.has(file)),
    /** True if some mems are only in the log: neither in a sound file nor held. */
    isDamaged: () => lost > held.size || files.some(({ file }) => damaged.has(file)),
    /** Known damage. The log has the mems that are lost by it. */
    problems: (): Problem[] => [
      ...(lost === 0 ? [] : [lostFile(lost, held.size)]),
      ...[...damaged]
        .filter(([file]) => files.some((each) => each.file === file))
        .map(([file, reason]) => quarantined("broken_file", `graph/archive/${file}`, reason)),
    ],
    /** Checks every line; returns descriptions of the damage. */
    *check(): Pausing<string[]> {
      const wrong: string[] = []
      for (const { file, mems } of files) {
        let count = 0
        for (const line of linesOf(file, "")) {
          count++
          if (!isWhole(line)) {
            wrong.push(`graph/archive/${file}:${count}: the line is damaged`)
            damaged.set(file, DAMAGED_LINE)
          }
          if (count % PAUSE_EVERY === 0) yield
        }
        if (count === mems) continue
        wrong.push(`graph/archive/${file} has ${count} lines of ${mems}`)
        damaged.set(file, `the file has ${count} lines of ${mems}`)
      }
      return wrong
    },
    /** Estimate: a mem that was archived twice may count twice. */
    size: () => files.reduce((sum, { mems }) => sum + mems, held.size),
    has: (id: string) => find(id) !== undefined,
    get: find,
    /** For many lookups in a row: keeps files open, and caches results. Must be closed. */
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
    /** Archived mems whose id starts with a prefix. */
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
    /** Of these mems, those that are not in the archive. */
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
    /** Those that contain this text. */
    naming: (text: string): Promise<Mem[]> => runInSlices(search(text)),
    /** Those that link to one of these records. */
    linkingTo,
    /** The mem in the newest of these files that has it, dropped or not. */
    storedIn: (named: readonly ArchiveFile[], id: string): Mem | undefined => memOf(findIn(named, id)),
    /** Which of these mems are in the files. */
    *storedAmong(named: readonly ArchiveFile[], ids: Iterable<string>): Pausing<string[]> {
      const stored: string[] = []
      for (const id of ids) {
        if (memOf(findIn(named, id)) !== undefined) stored.push(id)
        yield
      }
      return stored
    },
    /** Writes mems that leave the hot set, and ids of dropped ones, into a file of that name. */
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

/** Takes the first element, and ends the iterator, which may keep a file open. */
function firstOf<T>(all: Iterable<T>): T | undefined {
  for (const each of all) return each
  return undefined
}

const ANY_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const DAMAGED_LINE = "a line is damaged"
const PAUSE_EVERY = 500
