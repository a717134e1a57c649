import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs"
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { GitFailure } from "../project/git/run-git.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { HIVE_FOLDER } from "../store/files/hive-fs.ts"
import { askUser, excludeFile, type PrivateRepository, runPrivate } from "./private-repository.ts"
import type { LeftOut } from "./state.ts"

export interface FileLimits {
  /** Of one file. */
  maxFileBytes: number
  /** Of all files that one snapshot adds. */
  maxTotalBytes: number
}

export interface FilesTree {
  tree: string
  leftOut: LeftOut[]
  /** Folders that are repositories or worktrees of their own. They end with a slash. */
  nested: string[]
  /** Files and folders; a folder ends with a slash. */
  ignored: string[]
}

/**
 * Keeps the tracked and untracked files of a work tree as a git tree. The index of the private repository remembers what
 * was read, so that only changed files are read again. It is copied, worked on and put back in one step: no process waits
 * for a lock, and a killed one leaves a copy that is never read.
 */
export function filesTree(repository: PrivateRepository) {
  const { top, dir, user } = repository
  const index = indexOf(repository)
  let last: { tree: string; signature: string } | undefined
  /** Left out last time, so that they are not in the index. */
  let known = new Set<string>()
  /** Tracked files that an ignore rule matches: they have to be put into our index by name. `missing` are not in it. */
  let forced = { signature: "", paths: new Set<string>(), missing: new Set<string>() }

  return async function takeFiles(limits: FileLimits, scratch: string): Promise<FilesTree> {
    const before = signatureOf(index)
    const [status, tracked] = await Promise.all([readStatus(), trackedIgnored()])
    const { listed, ignored } = await runInSlices(parseStatus(status))
    listed.push(...tracked)
    const { add, other, leftOut, nested } = await runInSlices(sortFiles(top, listed, limits))
    // An earlier content of what is left out may be in the index.
    const remove = [...other, ...leftOut.flatMap(({ path }) => (known.has(path) ? [] : path))]
    known = new Set(leftOut.map(({ path }) => path))
    const isSame = last?.signature === before && signatureOf(index) === before
    if (last !== undefined && isSame && add.length + remove.length === 0)
      return { tree: last.tree, leftOut, nested, ignored }
    const copy = join(scratch, "index")
    const env = { GIT_INDEX_FILE: copy }
    if (before !== "") await copyIndex(index, copy)
    if (remove.length > 0) await updateIndex(repository, ["--force-remove"], remove, env)
    const unreadable = await inParts(add, (part) =>
      updateIndex(repository, ["--add", "--remove", "--replace"], part, env),
    )
    for (const path of unreadable)
      leftOut.push({ path, bytes: lstat(join(top, path))?.size ?? 0, why: "unreadable" })
    for (const path of tracked) forced.missing.delete(path)
    for (const path of listed)
      if (forced.paths.has(path) && !existsSync(join(top, path))) forced.missing.add(path)
    if (listed.some((path) => path.endsWith(".gitignore"))) ignored.push(...(await dropIgnored(env)))
    const tree = (await runPrivate(repository, ["write-tree"], { env })).toString("latin1").trim()
    renameSync(copy, index)
    last = { tree, signature: signatureOf(index) }
    return { tree, leftOut, nested, ignored }
  }

  /** A file that is cut while git compares it ends git by a signal. */
  async function readStatus(attempts = 10): Promise<Buffer> {
    try {
      return await runPrivate(repository, STATUS, { env: { GIT_INDEX_FILE: index } })
    } catch (error) {
      const isSignal = error instanceof GitFailure && error.exit < 0 && error.limitMs === null
      if (!isSignal || attempts === 1) throw error
      return readStatus(attempts - 1)
    }
  }

  async function trackedIgnored(): Promise<string[]> {
    if (user === null) return []
    const signature = signatureOf(join(user.gitDir, "index"))
    if (forced.signature !== signature) {
      const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard", "-X", excludeFile(dir)]
      // Git refuses to read the repository of another user.
      const output = await askUser(repository, args).catch(() => "")
      const paths = new Set(namesIn(output))
      const isMissing = (path: string) => !forced.paths.has(path) || forced.missing.has(path)
      forced = { signature, paths, missing: new Set([...paths].filter(isMissing)) }
    }
    return [...forced.missing].filter((path) => lstat(join(top, path)) !== undefined)
  }

  /** A file that is ignored from now on belongs to the ignored ones. */
  async function dropIgnored(env: { GIT_INDEX_FILE: string }): Promise<string[]> {
    const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]
    const ignored = [...namesIn(await runPrivate(repository, args, { env }))]
    const paths = ignored.filter((path) => !forced.paths.has(path))
    if (paths.length > 0) await updateIndex(repository, ["--force-remove"], paths, env)
    return paths
  }
}

export function indexOf({ dir, worktree }: PrivateRepository): string {
  return join(dir, `index-${worktree}`)
}

export const INDEX_NAME = /^index-[0-9a-f]+$/

type Sorted = Record<"add" | "other" | "nested", string[]> & Pick<FilesTree, "leftOut">

/** `XY path`: what differs from the index has a letter as Y; X tells of HEAD, which does not matter here. */
function* parseStatus(output: Buffer): Pausing<{ listed: string[]; ignored: string[] }> {
  const listed: string[] = []
  const ignored: string[] = []
  for (const line of namesIn(output)) {
    yield
    if (line.startsWith("!!")) ignored.push(line.slice(3))
    else if (line[1] !== " ") listed.push(line.slice(3))
  }
  return { listed, ignored }
}

/** Only regular files and links are opened: a pipe would wait for ever. `other` are pipes, folders and the like. */
function* sortFiles(top: string, paths: Iterable<string>, limits: FileLimits): Pausing<Sorted> {
  const sorted: Sorted = { add: [], other: [], leftOut: [], nested: [] }
  let total = 0
  for (const path of new Set(paths)) {
    yield
    if (`/${path}`.includes(`/${HIVE_FOLDER}/`)) continue
    const stat = lstat(join(top, path))
    const bytes = stat?.size ?? 0
    const leaveOut = (why: LeftOut["why"]) => void sorted.leftOut.push({ path, bytes, why })
    if (path.endsWith("/")) sorted.nested.push(path)
    else if (path.includes(NOT_UTF8)) leaveOut("unreadable")
    else if (stat !== undefined && !stat.isFile() && !stat.isSymbolicLink()) sorted.other.push(path)
    else if (bytes > limits.maxFileBytes) leaveOut("large")
    else if (total + bytes > limits.maxTotalBytes) leaveOut("total")
    else if (stat?.isFile() && !isReadable(join(top, path))) leaveOut("unreadable")
    else {
      total += bytes
      sorted.add.push(path)
    }
  }
  return sorted
}

/**
 * Runs a job of git over many files; returns those that could not be read. One that cannot be read, or is cut while git
 * reads it, fails the whole batch, so it is divided.
 */
export async function inParts<T>(
  items: readonly T[],
  job: (part: readonly T[]) => Promise<void>,
): Promise<T[]> {
  if (items.length === 0) return []
  try {
    await job(items)
    return []
  } catch (error) {
    if (!(error instanceof GitFailure) || error.limitMs !== null || FAILS_FOR_ALL.test(error.said))
      throw error
    if (items.length === 1) return [...items]
    const half = Math.ceil(items.length / 2)
    return [...(await inParts(items.slice(0, half), job)), ...(await inParts(items.slice(half), job))]
  }
}

async function updateIndex(
  repository: PrivateRepository,
  how: readonly string[],
  paths: readonly string[],
  env: { GIT_INDEX_FILE: string },
): Promise<void> {
  const input = paths.map((path) => `${path}\0`).join("")
  try {
    await runPrivate(repository, ["update-index", ...how, "-z", "--stdin"], { env, input })
  } finally {
    rmSync(`${env.GIT_INDEX_FILE}.lock`, { force: true }) // Of a git that was ended by a signal.
  }
}

/** The copy is as old as the original: git reads files again that changed in the second in which the index was written. */
async function copyIndex(from: string, to: string): Promise<void> {
  const seconds = Math.floor(statSync(from).mtimeMs / 1000)
  await copyFile(from, to)
  utimesSync(to, seconds, seconds)
}

/** Tells whether a file was replaced. */
export function signatureOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`
}

/** Names that end with a zero byte. */
export function* namesIn(output: Buffer | string): Generator<string, void, void> {
  const text = output.toString("utf8")
  for (let at = 0, end = text.indexOf("\0"); end >= 0; at = end + 1, end = text.indexOf("\0", at))
    yield text.slice(at, end)
}

function lstat(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // A part of the path is no folder any more, or not for us to see.
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

const STATUS =
  "status --porcelain -z --untracked-files=all --ignored=matching --no-renames --no-ahead-behind".split(" ")
const NOT_UTF8 = "\ufffd"
const FAILS_FOR_ALL =
  /No space left|Disk quota|Read-only file system|unable to write|insufficient permission|ENOENT/i
