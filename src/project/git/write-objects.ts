import { createHash } from "node:crypto"
import { mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { deflateSync } from "node:zlib"
import type { Pausing } from "../../shared/slices.ts"
import { systemCode } from "../../shared/system-error.ts"

export interface TreeEntry {
  mode: string
  oid: string
}

type FolderEntries = ReadonlyMap<string, TreeEntry>
/** By the path of the folder; "" is the top. */
export type Folders = ReadonlyMap<string, FolderEntries>

export interface ObjectStore {
  dir: string
  /** Objects are named by it. */
  hash: "sha1" | "sha256"
  /** How much was added since it was opened. */
  newBytes: number
}

/**
 * Writes a small object without a git process: starting git takes longer than the work. An object that is there already
 * counts as new, so that pruning leaves it alone; an empty file is what a power cut has left of one.
 */
export function writeObject(store: ObjectStore, type: "blob" | "tree", content: Buffer): string {
  const { dir, hash } = store
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const oid = createHash(hash).update(whole).digest("hex")
  const path = join(dir, "objects", oid.slice(0, 2), oid.slice(2))
  const there = statSync(path, { throwIfNoEntry: false })
  if (there !== undefined && there.size > 0 && markAsNew(path)) return oid
  // Git removes such names when it prunes.
  const fresh = join(dir, "objects", `tmp_obj_${process.pid}_${oid}`)
  writeFileSync(fresh, deflateSync(whole, { level: 1 }))
  moveIntoPlace(fresh, path)
  store.newBytes += whole.length
  return oid
}

/** Git removes empty folders while it repacks: the folder may go again before the file is in it. */
function moveIntoPlace(fresh: string, path: string, attempts = 5): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    renameSync(fresh, path)
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || attempts === 1) throw error
    moveIntoPlace(fresh, path, attempts - 1)
  }
}

function markAsNew(path: string): boolean {
  try {
    const now = new Date()
    utimesSync(path, now, now)
    return true
  } catch (error) {
    return systemCode(error) === "EPERM" // It is a link to an object that another user owns, and keeps.
  }
}

/** Changes files in a tree, null removes one; returns the new tree and its folders. Folders without files vanish. */
export function* editTree(
  store: ObjectStore,
  folders: Folders,
  changes: ReadonlyMap<string, TreeEntry | null>,
): Pausing<{ tree: string; folders: Folders }> {
  const edited = new Map<string, Map<string, TreeEntry>>()
  const open = (folder: string): Map<string, TreeEntry> => {
    const entries = edited.get(folder) ?? new Map(folders.get(folder))
    if (folder !== "" && !edited.has(folder)) open(parentOf(folder))
    edited.set(folder, entries)
    return entries
  }
  open("")
  // Removals come first: a file may have become a folder.
  for (const isRemoval of [true, false])
    for (const [path, entry] of changes) {
      yield
      if ((entry === null) !== isRemoval) continue
      if (entry === null) open(parentOf(path)).delete(nameOf(path))
      else open(parentOf(path)).set(nameOf(path), entry)
    }
  const depth = (path: string) => path.split("/").length
  for (const folder of [...edited.keys()].filter(Boolean).sort((a, b) => depth(b) - depth(a))) {
    yield
    const [parent, name] = [open(parentOf(folder)), nameOf(folder)]
    const entries = open(folder)
    if (entries.size > 0) parent.set(name, { mode: FOLDER, oid: writeTree(store, entries) })
    else if (parent.get(name)?.mode === FOLDER) parent.delete(name)
  }
  return { tree: writeTree(store, open("")), folders: new Map([...folders, ...edited]) }
}

export function isSameEntry(one: TreeEntry | null | undefined, other: TreeEntry | null | undefined): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode
}

export function foldersAbove(path: string): string[] {
  return path === "" ? [] : [...foldersAbove(parentOf(path)), parentOf(path)]
}

/** Whether its parent lists it as a folder; the top is always one. */
export function isFolderIn(folders: Folders, path: string): boolean {
  return path === "" || folders.get(parentOf(path))?.get(nameOf(path))?.mode === FOLDER
}

export function parseTree(content: Buffer, { hash }: ObjectStore): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>()
  const idBytes = hash === "sha1" ? 20 : 32
  for (let at = 0; at < content.length; ) {
    const [space, zero] = [content.indexOf(" ", at), content.indexOf(0, at)]
    const oid = content.toString("hex", zero + 1, zero + 1 + idBytes)
    entries.set(content.toString("utf8", space + 1, zero), {
      mode: content.toString("latin1", at, space),
      oid,
    })
    at = zero + 1 + idBytes
  }
  return entries
}

/** Git sorts by bytes, and folders as if their names ended with a slash. */
function writeTree(store: ObjectStore, entries: ReadonlyMap<string, TreeEntry>): string {
  const sorted = [...entries]
    .map(([name, entry]) => ({ name, entry, key: Buffer.from(entry.mode === FOLDER ? `${name}/` : name) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
  const parts = sorted.flatMap(({ name, entry }) => [
    Buffer.from(`${entry.mode} ${name}\0`),
    Buffer.from(entry.oid, "hex"),
  ])
  return writeObject(store, "tree", Buffer.concat(parts))
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

const FOLDER = "40000"
