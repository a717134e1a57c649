import * as z from "zod"
import { sharedEntry } from "../graph/merge/order.ts"
import { tryParse } from "../schemas/checked.ts"
import { type Entry, entryLine, readEntry } from "../schemas/entry.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import type { SyncMark } from "../store/clone.ts"
import { parseJson } from "../store/files/json-lines.ts"
import type { Store } from "../store/store.ts"
import type { Repository, Tree } from "./ref.ts"

// A clone's entries are stored in files of a fixed number of lines, `<clone>/000001.jsonl` and so on. Only the last file grows.

export function clonesIn(tree: Tree): string[] {
  return [...new Set(Array.from(tree.keys(), (path) => path.slice(0, path.indexOf("/"))))].sort()
}

function filesOf(tree: Tree, clone: string): string[] {
  return [...tree.keys()].filter((path) => path.startsWith(`${clone}/`)).sort()
}

async function readLines(repo: Repository, blob: string | undefined): Promise<string[]> {
  if (blob === undefined) return []
  return (await repo.readBlob(blob))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
}

export async function lastEntry(repo: Repository, tree: Tree, clone: string): Promise<Entry | undefined> {
  const file = filesOf(tree, clone).at(-1)
  const line = file === undefined ? undefined : (await readLines(repo, tree.get(file))).at(-1)
  return line === undefined ? undefined : entryOf(parseJson(line))
}

/** Yields those entries of a clone that the tree `known` does not have, file by file. */
export async function* newEntries(
  repo: Repository,
  tree: Tree,
  known: Tree,
  clone: string,
): AsyncGenerator<ReadLines> {
  for (const path of filesOf(tree, clone)) {
    if (tree.get(path) === known.get(path)) continue
    const lines = await readLines(repo, tree.get(path))
    const before = await readLines(repo, known.get(path))
    const fresh = isPrefix(before, lines) ? lines.slice(before.length) : lines
    yield await runInSlices(parseEntries(fresh))
  }
}

export interface ReadLines {
  entries: Entry[]
  /** How many lines were written by a newer version of HiveMind. */
  unreadable: number
  junk: number
}

function* parseEntries(lines: readonly string[]): Pausing<ReadLines> {
  const read: ReadLines = { entries: [], unreadable: 0, junk: 0 }
  for (const line of lines) {
    const value = parseJson(line)
    const entry = entryOf(value)
    if (entry !== undefined) read.entries.push(entry)
    else if (tryParse(anyEntry, value).success) read.unreadable++
    else read.junk++
    yield
  }
  return read
}

export async function withEntries(
  repo: Repository,
  tree: Tree,
  clone: string,
  entries: readonly Entry[],
): Promise<Tree> {
  const next = new Map(tree)
  const last = filesOf(tree, clone).at(-1)
  let open = last === undefined ? [] : await readLines(repo, tree.get(last))
  let number = last === undefined ? 1 : numberOf(last)
  for (let done = 0; done < entries.length; ) {
    if (open.length >= LINES_PER_FILE) {
      open = []
      number++
    }
    const taken = entries.slice(done, done + LINES_PER_FILE - open.length)
    open = [...open, ...taken.map((entry) => JSON.stringify(entry))]
    done += taken.length
    next.set(pathOf(clone, number), await repo.writeBlob(`${open.join("\n")}\n`))
  }
  return next
}

/** Merges two trees. Of two versions of a file takes the longer, if it begins with the other; else all lines of both. */
export async function mergeTrees(repo: Repository, ours: Tree, theirs: Tree): Promise<Tree> {
  const all = new Map(ours)
  for (const [path, blob] of theirs) {
    const own = ours.get(path)
    if (own === undefined) all.set(path, blob)
    else if (own !== blob) all.set(path, await longer(repo, own, blob))
  }
  return all
}

async function longer(repo: Repository, ours: string, theirs: string): Promise<string> {
  const [a, b] = [await readLines(repo, ours), await readLines(repo, theirs)]
  if (isPrefix(a, b)) return theirs
  if (isPrefix(b, a)) return ours
  // Two clones used the same name. All lines are kept, in an order that is the same in every clone.
  const [first, second] = ours < theirs ? [a, b] : [b, a]
  const known = new Set(first)
  return repo.writeBlob(`${[...first, ...second.filter((line) => !known.has(line))].join("\n")}\n`)
}

/** Estimates how many entries `tree` has that `than` has not. Counts all files except a clone's last one as full. */
export async function countEntries(repo: Repository, tree: Tree, than: Tree): Promise<number> {
  let count = 0
  for (const clone of clonesIn(tree)) {
    const [files, others] = [filesOf(tree, clone), filesOf(than, clone)]
    const [last, otherLast] = [tree.get(files.at(-1) ?? ""), than.get(others.at(-1) ?? "")]
    if (last === otherLast) continue
    const more = (await readLines(repo, last)).length - (await readLines(repo, otherLast)).length
    count += (files.length - Math.max(1, others.length)) * LINES_PER_FILE + more
  }
  return count
}

function isPrefix(short: readonly string[], long: readonly string[]): boolean {
  return short.length <= long.length && short.every((line, n) => line === long[n])
}

function entryOf(value: unknown): Entry | undefined {
  const parsed = tryParse(entryLine, value)
  return parsed.success && parsed.data.clock < MAX_CLOCK ? readEntry(parsed.data) : undefined
}

function pathOf(clone: string, number: number): string {
  return `${clone}/${String(number).padStart(6, "0")}.jsonl`
}

function numberOf(path: string): number {
  return Number.parseInt(path.slice(path.indexOf("/") + 1), 10)
}

/** Returns this clone's entries that the tree does not have. */
export async function ownEntries(
  store: Store,
  repo: Repository,
  tree: Tree,
  clone: string,
): Promise<Entry[]> {
  const last = await lastEntry(repo, tree, clone)
  const mark = await currentMark(store, clone)
  if (mark !== undefined) {
    const since = await store.log({ isOwn: true, ...(mark.entry !== null && { after: mark.entry }) })
    const saved = since.findIndex(({ id }) => id === last?.id)
    if (saved >= 0 || (last?.id ?? null) === mark.own) return runInSlices(shared(since.slice(saved + 1)))
  }
  if (last === undefined) {
    const entries = await store.log()
    // Restored entries may exist in the backup only, so they are sent like this clone's own.
    const restored = entries.map(({ brought, ...entry }) =>
      brought === undefined || brought === entry.at ? entry : { ...entry, brought },
    )
    return notUnderOldName(repo, tree, clone, await runInSlices(shared(restored)))
  }
  return runInSlices(shared(await store.log({ isOwn: true, after: last.id })))
}

/** Leaves out entries that the tree has already, under a name that this clone had before. */
async function notUnderOldName(
  repo: Repository,
  tree: Tree,
  clone: string,
  own: readonly Entry[],
): Promise<Entry[]> {
  const saved = new Set<string>()
  for (const writer of new Set(own.map((entry) => entry.writer)))
    if (writer !== clone)
      for await (const { entries } of newEntries(repo, tree, new Map(), writer))
        for (const { id } of entries) saved.add(id)
  return own.filter(({ id }) => !saved.has(id))
}

/** Returns the sync mark if it belongs to this clone and its entry is in the log. */
export async function currentMark(store: Store, clone: string): Promise<SyncMark | undefined> {
  const mark = store.syncMark()
  if (mark?.clone !== clone) return undefined
  const isHere = mark.entry === null || (await store.log({ naming: mark.entry, limit: 1 })).length > 0
  return isHere ? mark : undefined
}

/** True if this hive lacks an entry of its clone that the repository has: it is a copy, or an old copy was put back. */
export async function isForked(store: Store, repo: Repository, commit: string | undefined): Promise<boolean> {
  const clone = await store.clone()
  const last = await lastEntry(repo, await repo.readTree(commit), clone)
  if (last === undefined) return false
  if (last.id === (await currentMark(store, clone))?.own) return false
  return (await store.log({ naming: last.id, limit: 1 })).length === 0
}

function* shared(entries: readonly Entry[]): Pausing<Entry[]> {
  const found: Entry[] = []
  for (const entry of entries) {
    const own = sharedEntry(entry)
    if (own !== undefined) found.push(own)
    yield
  }
  return found
}

const LINES_PER_FILE = 500
// A new clock is higher than all clocks that were read. After an entry with a huge clock, there would be no higher number.
const MAX_CLOCK = 2 ** 45
// The fields that an entry has in every version of HiveMind.
const anyEntry = z.looseObject({
  id: z.string(),
  writer: z.string(),
  clock: z.int().min(0).max(MAX_CLOCK),
  ops: z.array(z.looseObject({})),
})
