import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, sep } from "node:path"
import type { Acknowledged } from "./ledger.ts"

/** One line of a recording of file system calls; see record.mjs. */
export type DiskEvent =
  | { do: "create"; path: string; ino: number }
  | { do: "truncate"; ino: number; length: number }
  | { do: "write"; ino: number; at: number; bytes: string }
  | { do: "sync" | "synced"; ino: number; id: string }
  | { do: "rename" | "link"; from: string; to: string }
  | { do: "unlink"; path: string }
  | { do: "mkdir"; made: { path: string; ino: number }[] }
  | { do: "acknowledged"; acknowledged: Acknowledged }
  | { do: "undoing"; id: string }
  | { do: "marking"; entry: string }
  | { do: "counted"; count: number }

type Change = { at: number; bytes: Buffer } | { length: number }
/** A change of the names in a folder that is not fsynced yet. */
type Naming = (names: Map<string, Node>) => void

interface FileNode {
  now: Buffer
  durable: Buffer
  pending: Change[]
}

interface FolderNode {
  names: Map<string, Node>
  durable: Map<string, Node>
  pending: Naming[]
}

type Node = FileNode | FolderNode

/** How many of the pending changes survive a power cut: none, all, or a random part. */
export type Leaves = "none" | "all" | (() => number)

/** Simulates a disk: a power cut keeps everything that was fsynced, and any subset of the other changes. */
export function openDisk(root: string) {
  const nodes = new Map<number, Node>()
  const syncs = new Map<string, () => void>()
  const top = load(root) as FolderNode

  /** Loads a folder of the real disk. All of it counts as durable. */
  function load(path: string): Node {
    const { ino } = statSync(path)
    const node = statSync(path).isDirectory()
      ? newFolder(new Map(readdirSync(path).map((name) => [name, load(join(path, name))])))
      : newFile(readFileSync(path))
    nodes.set(ino, node)
    return node
  }

  function folderOf(path: string): FolderNode {
    const names = relative(root, dirname(path)).split(sep).filter(Boolean)
    return names.reduce((folder, name) => folder.names.get(name) as FolderNode, top)
  }

  function change(folder: FolderNode, naming: Naming): void {
    naming(folder.names)
    folder.pending.push(naming)
  }

  function put(path: string, node: Node): void {
    change(folderOf(path), (names) => names.set(basename(path), node))
  }

  function move(from: string, to: string): void {
    const node = folderOf(from).names.get(basename(from))
    if (node === undefined) throw new Error(`${from} is not in the recording`)
    if (dirname(from) !== dirname(to)) put(to, node)
    // A rename within a folder is atomic.
    change(folderOf(from), (names) => {
      names.delete(basename(from))
      if (dirname(from) === dirname(to)) names.set(basename(to), node)
    })
  }

  function edit(ino: number, edited: Change): void {
    const file = nodes.get(ino) as FileNode
    file.now = applied(file.now, edited)
    file.pending.push(edited)
  }

  return {
    replay(event: DiskEvent): void {
      if (event.do === "create") {
        const file = newFile(Buffer.alloc(0))
        nodes.set(event.ino, file)
        put(event.path, file)
      } else if (event.do === "truncate") edit(event.ino, { length: event.length })
      else if (event.do === "write")
        edit(event.ino, { at: event.at, bytes: Buffer.from(event.bytes, "base64") })
      else if (event.do === "sync") syncs.set(event.id, syncOf(nodes.get(event.ino) as Node))
      else if (event.do === "synced") syncs.get(event.id)?.()
      else if (event.do === "rename") move(event.from, event.to)
      else if (event.do === "link")
        put(event.to, folderOf(event.from).names.get(basename(event.from)) as Node)
      else if (event.do === "unlink")
        change(folderOf(event.path), (names) => names.delete(basename(event.path)))
      else if (event.do === "mkdir")
        for (const { path, ino } of event.made) {
          const folder = newFolder(new Map())
          nodes.set(ino, folder)
          put(path, folder)
        }
    },
    /** Returns the disk's content after a power cut now, by relative path; null for a folder. */
    afterPowerCut(leaves: Leaves): Map<string, Buffer | null> {
      const found = new Map<string, Buffer | null>()
      const contents = new Map<FileNode, Buffer>()
      const walk = (folder: FolderNode, path: string) => {
        for (const [name, node] of namesAfterCut(folder, leaves)) {
          const at = join(path, name)
          if ("names" in node) {
            found.set(at, null)
            walk(node, at)
          } else {
            // Two hard links of one file have the same content.
            const content = contents.get(node) ?? contentAfterCut(node, leaves)
            contents.set(node, content)
            found.set(at, content)
          }
        }
      }
      walk(top, "")
      return found
    },
  }
}

export function writeTree(dir: string, tree: ReadonlyMap<string, Buffer | null>): void {
  for (const [path, content] of tree) {
    if (content === null) mkdirSync(join(dir, path))
    else writeFileSync(join(dir, path), content)
  }
}

const newFile = (content: Buffer): FileNode => ({ now: content, durable: content, pending: [] })
const newFolder = (names: Map<string, Node>): FolderNode => ({ names, durable: new Map(names), pending: [] })

/** Starts an fsync; the returned function ends it. Changes made in between are not part of it. */
function syncOf(node: Node): () => void {
  const covered = new Set<Change | Naming>(node.pending)
  const now = "names" in node ? new Map(node.names) : node.now
  return () => {
    // Of two fsyncs at once, the later one includes more changes.
    if (node.pending.some((each) => covered.has(each))) Object.assign(node, { durable: now })
    Object.assign(node, { pending: node.pending.filter((each) => !covered.has(each)) })
  }
}

function namesAfterCut({ durable, pending }: FolderNode, leaves: Leaves): Map<string, Node> {
  const names = new Map(durable)
  if (leaves === "none") return names
  for (const naming of pending) if (leaves === "all" || leaves() < 0.5) naming(names)
  return names
}

function contentAfterCut({ durable, now, pending }: FileNode, leaves: Leaves): Buffer {
  if (leaves === "none" || pending.length === 0) return durable
  if (leaves === "all") return now
  const some = Math.floor(leaves() * pending.length)
  const first = pending.slice(0, some).reduce(applied, durable)
  const next = pending[some] as Change
  const kind = leaves()
  if (kind < 0.2) return durable
  if (kind < 0.4) return now
  // Keeps some of the writes and a piece of the next one.
  if (kind < 0.6) return applied(first, pieceOf(next, leaves()))
  // Keeps the file's new length, but zeros in place of the new bytes.
  if (kind < 0.8) return Buffer.concat([first, Buffer.alloc(Math.max(0, now.length - first.length))])
  // Keeps later writes without earlier ones.
  return pending.filter(() => leaves() < 0.5).reduce(applied, durable)
}

function pieceOf(change: Change, share: number): Change {
  if ("length" in change) return change
  return { at: change.at, bytes: change.bytes.subarray(0, Math.floor(share * change.bytes.length)) }
}

function applied(content: Buffer, change: Change): Buffer {
  if ("length" in change) return content.subarray(0, change.length)
  const { at, bytes } = change
  const result = Buffer.alloc(Math.max(content.length, at + bytes.length))
  content.copy(result)
  bytes.copy(result, at)
  return result
}
