import { join } from "node:path"
import { linksFrom } from "../../graph/links.ts"
import { type Problem, quarantined } from "../../graph/problem.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { counted } from "../../shared/amounts.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { failureReason } from "../../shared/system-error.ts"
import { statSync } from "../files/hive-fs.ts"
import type { ArchiveFile } from "../snapshot/manifest.ts"
import { archiveFold, type Gone, growArchive, isWhole, memOf, parseLine } from "./archive-file.ts"
import { idOf, linesFrom, mergeSorted, openIfThere, type SortedFile } from "./sorted-file.ts"

/** The archive: mems that left the hot set, in files sorted by id. The newest line of a mem counts. */
export function openArchive(
  folder: string,
  newestFiles: () => readonly ArchiveFile[] | undefined,
  /** True if the mem was deleted since the last fold, so that its copy in the files must be ignored. */
  isDropped: (id: string) => boolean = () => false,
) {
  let files: readonly ArchiveFile[] = []
  /** Archived mems whose file is missing. They were read from the log. */
  let held: ReadonlyMap<string, Mem> = new Map()
  let lost = 0
  const damaged = new Map<string, string>()

  const pathOf = (file: string) => join(folder, file)

  const fail = (file: string, error: unknown) =>
    damaged.set(file, `the file cannot be read (${failureReason(error)})`)

  const linesOf = (file: string, from: string, check?: (line: string) => void) =>
    linesFrom(pathOf(file), from, check, (error) => fail(file, error))

  function find(id: string): Mem | undefined {
    if (isDropped(id)) return undefined
    const found = held.get(id) ?? findIn(files, id)
    if (found !== undefined) return memOf(found)
    // Another process may have archived this mem or merged files since the list of files was read.
    const newest = newestFiles()
    if (newest === undefined) return undefined
    files = newest
    return memOf(findIn(files, id))
  }

  /** Searches the newest file first. `opened` are the files that a series of lookups keeps open, with checked lengths. */
  function findIn(named: readonly ArchiveFile[], id: string, opened?: OpenFiles): Mem | Gone | undefined {
    for (const each of [...named].reverse()) {
      if (opened === undefined) checkLength(each)
      const found = findInFile(each.file, id, opened)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Finds a mem by binary search. If the file is damaged, reads all of its lines. */
  function findInFile(file: string, id: string, opened: OpenFiles | undefined): Mem | Gone | undefined {
    const check = (line: string) => {
      if (!isWhole(line)) damaged.set(file, DAMAGED_LINE)
    }
    if (!damaged.has(file)) {
      const lines = opened === undefined ? linesOf(file, id, check) : opened.get(file)?.from(id, check)
      const line = firstOf(lines ?? [])
      if (!damaged.has(file)) return line !== undefined && idOf(line) === id ? parseLine(line) : undefined
    }
    for (const line of linesOf(file, "")) if (idOf(line) === id && isWhole(line)) return parseLine(line)
    return undefined
  }

  /** Yields the newest line of each id, in the order of ids. Deleted mems have a line too. */
  function newestLines(from = "", named = files): Generator<string, void, void> {
    return mergeSorted(named.map(({ file }) => linesOf(file, from)))
  }

  function read(line: string): Mem | undefined {
    return isDropped(idOf(line)) ? undefined : memOf(parseLine(line))
  }

  /** Yields the mems of wanted lines, from the id `from` on; `undefined` is a pause. */
  function* mems(isWanted: (line: string) => boolean, from = "", named = files): Generator<Mem | undefined> {
    let count = 0
    for (const line of newestLines(from, named)) {
      const mem = isWanted(line) ? read(line) : undefined
      if (mem !== undefined) yield mem
      if (++count % PAUSE_EVERY === 0) yield undefined
    }
  }

  function* collect(
    isWantedLine: (line: string) => boolean,
    isWanted: (mem: Mem) => boolean = () => true,
    named = files,
  ): Pausing<Mem[]> {
    const found = [...held.values()].filter((mem) => isWantedLine(JSON.stringify(mem)) && isWanted(mem))
    for (const mem of mems(isWantedLine, "", named))
      if (mem === undefined) yield
      else if (isWanted(mem)) found.push(mem)
    return found
  }

  function checkLength({ file, bytes }: Pick<ArchiveFile, "file" | "bytes">): void {
    const size = statSync(pathOf(file), { throwIfNoEntry: false })?.size
    if (size === undefined) damaged.set(file, "the file is gone")
    else if (size !== bytes) damaged.set(file, "the file's length has changed since it was written")
    // A correct length does not mean that a damaged line was repaired.
    else if (damaged.get(file) !== DAMAGED_LINE) damaged.delete(file)
  }

  /** Finds archived mems that link to one of these records. `since`: skips files of folds before this segment. */
  function* linkingTo(ids: ReadonlySet<string>, since = 0): Pausing<Mem[]> {
    if (ids.size === 0) return []
    const isOneOf = (id: string | null) => id !== null && ids.has(id)
    const named = files.filter(({ file }) => (archiveFold(file) ?? since) >= since)
    return yield* collect(
      (line) => line.match(ANY_ID)?.some(isOneOf) ?? false,
      (mem) => linksFrom("mem").some((link) => link.ids(mem).some(isOneOf)),
      named,
    )
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
    soundFiles: () => files.filter(({ file }) => !damaged.has(file)),
    /** True if some archived mems can only be read from the log. */
    isDamaged: () => lost > held.size || files.some(({ file }) => damaged.has(file)),
    problems: (): Problem[] => [
      ...(lost === 0 ? [] : [lostFile(lost, held.size)]),
      ...[...damaged]
        .filter(([file]) => files.some((each) => each.file === file))
        .map(([file, reason]) => quarantined("broken_file", `graph/archive/${file}`, reason)),
    ],
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
        wrong.push(`graph/archive/${file} has ${count} of ${mems} lines`)
        damaged.set(file, `the file has ${count} of ${mems} lines`)
      }
      return wrong
    },
    size: () => files.reduce((sum, { mems }) => sum + mems, held.size),
    has: (id: string) => find(id) !== undefined,
    get: find,
    lookups() {
      files = newestFiles() ?? files
      for (const each of files) checkLength(each)
      const named = files
      const opened: OpenFiles = new Map(
        named.map(({ file }) => [file, openIfThere(pathOf(file), (error) => fail(file, error))]),
      )
      const known = new Map<string, Mem | undefined>()
      return {
        get(id: string): Mem | undefined {
          if (!known.has(id))
            known.set(id, isDropped(id) ? undefined : memOf(held.get(id) ?? findIn(named, id, opened)))
          return known.get(id)
        },
        close: () => {
          for (const file of opened.values()) file?.close()
        },
      }
    },
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
      yield* mems((line) => !isKnown(idOf(line)), from)
    },
    *lacking(ids: ReadonlySet<string>): Pausing<Set<string>> {
      const missing = new Set(ids)
      if (missing.size === 0) return missing
      for (const id of held.keys()) missing.delete(id)
      for (const mem of mems(() => true))
        if (mem === undefined) yield
        else missing.delete(mem.id)
      return missing
    },
    naming(text: string): Promise<Mem[]> {
      const wanted = JSON.stringify(text).slice(1, -1)
      return runInSlices(collect((line) => line.includes(wanted)))
    },
    linkingTo,
    /** Finds a mem in these files, even if it was deleted later. */
    storedIn: (named: readonly ArchiveFile[], id: string): Mem | undefined => memOf(findIn(named, id)),
    *storedAmong(named: readonly ArchiveFile[], ids: Iterable<string>): Pausing<string[]> {
      const stored: string[] = []
      for (const id of ids) {
        if (memOf(findIn(named, id)) !== undefined) stored.push(id)
        yield
      }
      return stored
    },
    add: (
      mems: readonly Mem[],
      gone: readonly string[],
      name: string,
      before = files,
    ): Pausing<ArchiveFile[]> => growArchive(folder, before, { mems, gone, name }),
  }
}

type OpenFiles = ReadonlyMap<string, SortedFile | undefined>
export type Archive = ReturnType<typeof openArchive>

function lostFile(lost: number, held: number): Problem {
  const instead = held < lost ? `${held} of them are read from the log` : "HiveMind reads the log instead"
  const reason = `the archive file of ${counted(lost, "mem")} is lost; ${instead}`
  return quarantined("missing_file", "graph/archive/", reason)
}

/** Returning early closes the iterator's file. */
function firstOf<T>(all: Iterable<T>): T | undefined {
  for (const each of all) return each
  return undefined
}

const ANY_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const DAMAGED_LINE = "a line is damaged"
const PAUSE_EVERY = 500
