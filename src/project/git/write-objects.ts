import { createHash } from "node:crypto"
import { mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { deflateSync } from "node:zlib"
import type { Pausing } from "../../shared/slices.ts"
import { systemCode } from "../../shared/system-error.ts"
import { folderOf, nameOf } from "../project-path.ts"

export interface TreeEntry {
  mode: string
  oid: string
}

/** The entries of each folder, by its path; "" is the top. */
export type Folders = ReadonlyMap<string, ReadonlyMap<string, TreeEntry>>

export interface ObjectStore {
  dir: string
  hash: "sha1" | "sha256"
  newBytes: number
}

/** Writes a git object. An existing one only gets a new time, so that git does not prune it; an empty one is replaced. */
export function writeObject(store: ObjectStore, type: "blob" | "tree", content: Buffer): string {
  const { dir, hash } = store
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const oid = createHash(hash).update(bytes).digest("hex")
  const path = join(dir, "objects", oid.slice(0, 2), oid.slice(2))
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing !== undefined && existing.size > 0 && markAsNew(path)) return oid
  // A crash may leave this file behind. `git prune` deletes files with such a name.
  const fresh = join(dir, "objects", `tmp_obj_${process.pid}_${oid}`)
  writeFileSync(fresh, deflateSync(bytes, { level: 1 }))
  moveIntoPlace(fresh, path)
  store.newBytes += bytes.length
  return oid
}

/** Moves a file, with retries: git removes empty folders while it repacks, maybe before the file is in its folder. */
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
    return systemCode(error) === "EPERM" // Another user owns this hard-linked object and keeps it, so its time need not change.
  }
}

/** Applies changes to a tree; null removes a file. Returns the new tree and its folders, without empty folders. */
export function* editTree(
  store: ObjectStore,
  folders: Folders,
  changes: ReadonlyMap<string, TreeEntry | null>,
): Pausing<{ tree: string; folders: Folders }> {
  const edited = new Map<string, Map<string, TreeEntry>>()
  const open = (folder: string): Map<string, TreeEntry> => {
    const entries = edited.get(folder) ?? new Map(folders.get(folder))
    if (folder !== "" && !edited.has(folder)) open(folderOf(folder))
    edited.set(folder, entries)
    return entries
  }
  open("")
  // Removals come first, as a folder may take the place of a file.
  for (const isRemoval of [true, false])
    for (const [path, entry] of changes) {
      yield
      if ((entry === null) !== isRemoval) continue
      if (entry === null) open(folderOf(path)).delete(nameOf(path))
      else open(folderOf(path)).set(nameOf(path), entry)
    }
  const depth = (path: string) => path.split("/").length
  for (const folder of [...edited.keys()].filter(Boolean).sort((a, b) => depth(b) - depth(a))) {
    yield
    const [parent, name] = [open(folderOf(folder)), nameOf(folder)]
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
  return path === "" ? [] : [...foldersAbove(folderOf(path)), folderOf(path)]
}

/** Whether the parent of a path lists it as a folder; always true for the top. */
export function isFolderIn(folders: Folders, path: string): boolean {
  return path === "" || folders.get(folderOf(path))?.get(nameOf(path))?.mode === FOLDER
}

export function parseTree(content: Buffer, { hash }: ObjectStore): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>()
  const idBytes = hash === "sha1" ? 20 : 32
  for (let at = 0; at < content.length; ) {
    const [space, zero] = [content.indexOf(" ", at), content.indexOf(0, at)]
    entries.set(content.toString("utf8", space + 1, zero), {
      mode: content.toString("latin1", at, space),
      oid: content.toString("hex", zero + 1, zero + 1 + idBytes),
    })
    at = zero + 1 + idBytes
  }
  return entries
}

/** Writes a tree object. Git sorts names by bytes, and folders as if their names ended with a slash. */
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

const FOLDER = "40000"
