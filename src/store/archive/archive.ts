import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Mem, mem as memSchema } from "../../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { idOf, linesFrom, mergeSorted, writeSorted } from "./sorted-file.ts"

/** Mems that left the hot set, in files sorted by id. A mem may stand in several files: the newest one counts. */
export interface ArchiveFile {
  file: string
  /** How many mems it holds. */
  mems: number
}

export function openArchive(folder: string, newestFiles: () => readonly ArchiveFile[] | undefined) {
  /** The newest last, as the manifest names them. */
  let files: readonly ArchiveFile[] = []
  /** Of an older format, before it is upgraded. */
  let held: ReadonlyMap<string, Mem> = new Map()

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
    for (const { file } of [...named].reverse()) {
      for (const line of linesFrom(pathOf(file), id)) {
        if (idOf(line) === id) return parse(line)
        break
      }
    }
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
    },
    hold(mems: readonly Mem[]): void {
      held = new Map(mems.map((mem) => [mem.id, mem]))
    },
    files: () => files,
    /** About how many there are: one that left twice may count twice. */
    size: () => files.reduce((sum, { mems }) => sum + mems, held.size),
    has: (id: string) => find(id) !== undefined,
    get: find,
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
     * so there are only ever a few files, and a mem is rewritten only a few times. Returns the files of then.
     */
    *add(mems: readonly Mem[], name: string): Pausing<ArchiveFile[]> {
      mkdirSync(folder, { recursive: true })
      const lines = mems.map((mem) => JSON.stringify({ ...mem, id: mem.id })).sort()
      let size = lines.reduce((sum, line) => sum + line.length, 0)
      let kept = files.length
      for (; kept > 0; kept--) {
        const before = statSync(pathOf(files[kept - 1]?.file ?? ""), { throwIfNoEntry: false })?.size ?? 0
        if (before > MUCH_LARGER * size) break
        size += before
      }
      const taken = files.slice(kept).map(({ file }) => linesFrom(pathOf(file), ""))
      const count = yield* writeSorted(pathOf(name), mergeSorted([...taken, lines.values()]))
      return [...files.slice(0, kept), { file: name, mems: count }]
    },
  }
}

export type Archive = ReturnType<typeof openArchive>

/** Undefined for a line that is damaged: the log still has what was in it. */
function parse(line: string): Mem | undefined {
  try {
    return memSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const MUCH_LARGER = 4
const PAUSE_EVERY = 500
