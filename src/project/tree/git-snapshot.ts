import { createHash } from "node:crypto"
import { readlinkSync } from "node:fs"
import { join } from "node:path"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { runGit } from "../git/run-git.ts"
import type { Changes } from "./changes.ts"
import { signatureOf } from "./file-signature.ts"
import { changedBetween, type GitStatus, readStatus } from "./git-status.ts"

/** A work tree at one moment: a commit, and the files that differ from it. */
export interface GitSnapshot {
  head: string | null
  files: Map<string, SeenFile>
  isCut: boolean
}

interface SeenFile {
  /** What the commit has there, as `mode id`. */
  inHead: string | null
  signature: string
  /** What lies there, as a commit would have it; null: nothing; undefined: not read, because it is one of too many. */
  content: string | null | undefined
}

/** Takes one. What `last` knows of a file that has not been touched since is not read again. */
export async function takeSnapshot(
  dir: string,
  prefix: string,
  last: GitSnapshot | undefined,
): Promise<GitSnapshot> {
  const status = await readStatus(dir, prefix)
  const { files, unread } = await runInSlices(seeFiles(dir, status, last))
  const ids = await hashFiles(dir, prefix, unread)
  for (const { path, mode } of unread) {
    const file = files.get(path)
    const id = ids.get(path)
    if (file !== undefined && id !== undefined) file.content = `${mode} ${id}`
  }
  return { head: status.head, files, isCut: status.isCut }
}

/**
 * The files whose content is another than before. A commit, a stash and its pop, a checkout there and back change what
 * git lists, and nothing that lies there: then nothing has changed.
 */
export async function changedFiles(dir: string, before: GitSnapshot, after: GitSnapshot): Promise<Changes> {
  const moved = await changedBetween(dir, before.head, after.head)
  return runInSlices(compare(before, after, moved))
}

function* compare(
  before: GitSnapshot,
  after: GitSnapshot,
  moved: Map<string, { before: string | null; after: string | null }>,
): Pausing<Changes> {
  const changed: string[] = []
  const created = new Set<string>()
  for (const path of new Set([...before.files.keys(), ...after.files.keys(), ...moved.keys()])) {
    yield
    const old = before.files.get(path)
    const now = after.files.get(path)
    if (old !== undefined && old.signature === now?.signature) continue
    // What is not listed lies there as its commit has it.
    const was = old === undefined ? committed(moved.get(path)?.before, now) : old.content
    const is = now === undefined ? committed(moved.get(path)?.after, old) : now.content
    if (was !== undefined && is !== undefined && was === is) continue
    changed.push(path)
    if (was === null) created.add(path)
  }
  return { changed: changed.sort(), created }
}

/** Where both commits have the same, the list of either tells what that is. */
function committed(moved: string | null | undefined, listed: SeenFile | undefined): string | null {
  return moved === undefined ? (listed?.inHead ?? null) : moved
}

interface Unread {
  path: string
  mode: string
}

function* seeFiles(
  dir: string,
  status: GitStatus,
  last: GitSnapshot | undefined,
): Pausing<{ files: GitSnapshot["files"]; unread: Unread[] }> {
  const files: GitSnapshot["files"] = new Map()
  const unread: Unread[] = []
  const algorithm = (status.head?.length ?? 40) === 40 ? "sha1" : "sha256"
  let bytes = 0
  for (const [path, { inHead, mode, isFolder }] of status.files) {
    yield
    const { signature, stat } = signatureOf(join(dir, path))
    const known = last?.files.get(path)
    const file: SeenFile = { inHead, signature, content: undefined }
    files.set(path, file)
    if (stat === undefined) file.content = null
    else if (isFolder || stat.isDirectory()) file.content = FOLDER
    else if (known?.signature === signature) file.content = known.content
    else if (stat.isSymbolicLink()) file.content = linkContent(join(dir, path), algorithm)
    else if (stat.isFile() && !UNLISTABLE.test(path)) {
      bytes += Number(stat.size)
      if (unread.length >= MAX_READ || bytes > MAX_READ_BYTES) continue
      unread.push({ path, mode: mode ?? ((stat.mode & 0o100n) === 0n ? "100644" : "100755") })
    }
  }
  return { files, unread }
}

/** By git, since what a commit would have may be another than what lies there: line ends, filters. */
async function hashFiles(
  dir: string,
  prefix: string,
  unread: readonly Unread[],
): Promise<Map<string, string>> {
  if (unread.length === 0) return new Map()
  const paths = unread.map(({ path }) => path)
  try {
    // Named from the top of the repository, wherever git runs.
    const input = paths.map((path) => `${prefix}${path}\n`).join("")
    const output = await runGit(dir, ["hash-object", "--stdin-paths"], { input, timeoutMs: LIMIT_MS })
    const ids = output.toString("latin1").trimEnd().split("\n")
    return new Map(paths.flatMap((path, at) => (ids[at] === undefined ? [] : [[path, ids[at]]])))
  } catch {
    return new Map() // One of them has gone meanwhile: all count as not read, the next look has them.
  }
}

function linkContent(path: string, algorithm: string): string | undefined {
  try {
    const target = readlinkSync(path, "buffer")
    return `120000 ${createHash(algorithm).update(`blob ${target.length}\0`).update(target).digest("hex")}`
  } catch {
    return undefined // It has gone meanwhile.
  }
}

/** A submodule or another repository: that it is there is known, not what has changed in it. */
const FOLDER = "folder"
// Names that a list with a name per line cannot hold.
const UNLISTABLE = /["\n]/
const LIMIT_MS = 10_000
const MAX_READ = 1000
const MAX_READ_BYTES = 32 << 20
