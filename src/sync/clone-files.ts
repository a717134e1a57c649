import * as z from "zod"
import { tryParse } from "../schemas/checked.ts"
import { type Entry, entryLine, readEntry } from "../schemas/entry.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { parseJson } from "../store/files/json-lines.ts"
import type { Repository, Tree } from "./ref.ts"

/*
 * The entries of a clone are in files of a fixed number of lines: `<clone>/000001.jsonl`, … A clone only appends lines to
 * its last file, so two trees differ only in new entries.
 */

export function clonesIn(tree: Tree): string[] {
  return [...new Set(Array.from(tree.keys(), (path) => path.slice(0, path.indexOf("/"))))].sort()
}

function filesOf(tree: Tree, clone: string): string[] {
  return [...tree.keys()].filter((path) => path.startsWith(`${clone}/`)).sort()
}

async function readLines(repository: Repository, blob: string | undefined): Promise<string[]> {
  if (blob === undefined) return []
  return (await repository.readBlob(blob))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
}

/** The last entry of a clone. */
export async function lastEntry(
  repository: Repository,
  tree: Tree,
  clone: string,
): Promise<Entry | undefined> {
  const file = filesOf(tree, clone).at(-1)
  const line = file === undefined ? undefined : (await readLines(repository, tree.get(file))).at(-1)
  return line === undefined ? undefined : entryOf(parseJson(line))
}

/** The entries of a clone that are not in the tree `known` yet, file by file. */
export async function* newEntries(
  repository: Repository,
  tree: Tree,
  known: Tree,
  clone: string,
): AsyncGenerator<ReadLines> {
  for (const path of filesOf(tree, clone)) {
    if (tree.get(path) === known.get(path)) continue
    const lines = await readLines(repository, tree.get(path))
    const before = await readLines(repository, known.get(path))
    const fresh = isPrefix(before, lines) ? lines.slice(before.length) : lines
    yield await runInSlices(parseEntries(fresh))
  }
}

export interface ReadLines {
  entries: Entry[]
  /** Entries with fields that only a newer version knows. */
  unreadable: number
  /** Other lines. */
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

/** The tree with more entries of a clone. */
export async function withEntries(
  repository: Repository,
  tree: Tree,
  clone: string,
  entries: readonly Entry[],
): Promise<Map<string, string>> {
  const next = new Map(tree)
  const last = filesOf(tree, clone).at(-1)
  let open = last === undefined ? [] : await readLines(repository, tree.get(last))
  let number = last === undefined ? 1 : numberOf(last)
  for (let done = 0; done < entries.length; ) {
    if (open.length >= LINES_PER_FILE) {
      open = []
      number++
    }
    const taken = entries.slice(done, done + LINES_PER_FILE - open.length)
    open = [...open, ...taken.map((entry) => JSON.stringify(entry))]
    done += taken.length
    next.set(pathOf(clone, number), await repository.writeBlob(`${open.join("\n")}\n`))
  }
  return next
}

/** Unites two trees. Of a file in both, takes the longer one: the shorter one is its beginning. */
export async function mergeTrees(
  repository: Repository,
  ours: Tree,
  theirs: Tree,
): Promise<Map<string, string>> {
  const all = new Map(ours)
  for (const [path, blob] of theirs) {
    const own = ours.get(path)
    if (own === undefined) all.set(path, blob)
    else if (own !== blob) all.set(path, await longer(repository, own, blob))
  }
  return all
}

async function longer(repository: Repository, ours: string, theirs: string): Promise<string> {
  const [a, b] = [await readLines(repository, ours), await readLines(repository, theirs)]
  if (isPrefix(a, b)) return theirs
  if (isPrefix(b, a)) return ours
  // Two clones have written under one name: keeps all lines, in an order that is the same everywhere.
  const [first, second] = ours < theirs ? [a, b] : [b, a]
  const known = new Set(first)
  return repository.writeBlob(`${[...first, ...second.filter((line) => !known.has(line))].join("\n")}\n`)
}

/** Estimates how many entries a tree has that the other one has not: all files but a clone's last one are full. */
export async function countEntries(repository: Repository, tree: Tree, than: Tree): Promise<number> {
  let count = 0
  for (const clone of clonesIn(tree)) {
    const [files, others] = [filesOf(tree, clone), filesOf(than, clone)]
    const [last, otherLast] = [tree.get(files.at(-1) ?? ""), than.get(others.at(-1) ?? "")]
    if (last === otherLast) continue
    const more = (await readLines(repository, last)).length - (await readLines(repository, otherLast)).length
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

const LINES_PER_FILE = 500
// Later clocks follow the highest one that was seen: one near the largest number would leave no room for more entries.
const MAX_CLOCK = 2 ** 45
// The fields that an entry of every version has.
const anyEntry = z.looseObject({
  id: z.string(),
  writer: z.string(),
  clock: z.int().min(0).max(MAX_CLOCK),
  ops: z.array(z.looseObject({})),
})
