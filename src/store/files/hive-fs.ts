import fs, { constants } from "node:fs"
import { unlink as unlinkFile } from "node:fs/promises"
import { basename, dirname, join, resolve, sep } from "node:path"
import { promisify } from "node:util"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { trackedFiles } from "../../shared/git-tracked.ts"
import { retryBusy } from "../../shared/retry-busy.ts"
import { systemCode } from "../../shared/system-error.ts"

/** Opens a file, but follows no link under `.hivemind/`: links in a cloned repository may lead out of the project. */
export function openSync(path: string, flags: OpenFlags, mode?: number, attempts = MAX_ATTEMPTS): number {
  if (!isInHive(path)) return fs.openSync(path, flags === "a" ? "a+" : flags, mode)
  if (flags !== "r") refuseLink(path, "write")
  if (flags === "a") refuseTracked(path)
  let fd: number | undefined
  try {
    fd = fs.openSync(path, NO_FOLLOW[flags], mode)
    if (isFileAt(path, fd, flags, attempts)) return fd
  } catch (error) {
    if (fd !== undefined) discard(path, fd, flags)
    if (fd !== undefined) fs.closeSync(fd)
    // ELOOP: the system refused to follow a link. refuseLink throws an error that names it.
    if (systemCode(error) === "ELOOP") refuseLink(path, flags === "r" ? "read" : "write")
    throw error
  }
  fs.closeSync(fd)
  return openSync(path, flags, mode, attempts - 1)
}

export function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r")
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  return systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR"
}

export function withFileSync<T>(path: string, flags: OpenFlags, work: (fd: number) => T, mode?: number): T {
  const fd = openSync(path, flags, mode)
  try {
    return work(fd)
  } finally {
    fs.closeSync(fd)
  }
}

export async function withFile<T>(
  path: string,
  flags: OpenFlags,
  work: (fd: number) => Promise<T>,
): Promise<T> {
  const fd = openSync(path, flags)
  try {
    return await work(fd)
  } finally {
    fs.closeSync(fd)
  }
}

export function readFileSync(path: string): Buffer
export function readFileSync(path: string, encoding: "utf8"): string
export function readFileSync(path: string, encoding?: "utf8"): Buffer | string {
  return withFileSync(path, "r", (fd) => fs.readFileSync(fd, encoding))
}

export function readFile(path: string): Promise<Buffer> {
  return withFile(path, "r", (fd) => readWhole(fd))
}

/** Repeats the write until all bytes are written: the system may write fewer at once. */
export function writeWhole(fd: number, text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text
  for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written)
}

export async function writeAsync(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += await writeSome(fd, bytes.subarray(at))
}

/** Returns true for a symbolic link even if its target does not exist. */
export function existsSync(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // node:fs also returns false if access is denied.
  }
}

// Describes a symbolic link itself, never its target.
export { lstatSync as statSync } from "node:fs"

export function fileSize(path: string): number {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}

export function listFolder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

export function readdirSync(folder: string): string[] {
  refuseLink(folder, "read")
  return fs.readdirSync(folder)
}

/** Lists all files below a folder. Does not follow links, and skips folders that cannot be read. */
export function listTree(folder: string): { path: string; isLink: boolean }[] {
  let entries: fs.Dirent[]
  try {
    refuseLink(folder, "read")
    entries = fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Reading a file of that folder reports the reason.
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? listTree(path) : [{ path, isLink: entry.isSymbolicLink() }]
  })
}

export function mkdirSync(folder: string): void {
  refuseLink(folder, "write")
  fs.mkdirSync(folder, { recursive: true })
}

export function renameSync(from: string, to: string): void {
  for (const path of [from, to]) refuseLink(dirname(path), "write")
  retryBusy(() => fs.renameSync(from, to))
}

export function linkSync(from: string, to: string): void {
  for (const path of [from, to]) refuseLink(dirname(path), "write")
  fs.linkSync(from, to)
}

export function rmSync(path: string, options?: fs.RmOptions): void {
  refuseLink(dirname(path), "write")
  fs.rmSync(path, options)
}

export async function unlink(path: string): Promise<void> {
  refuseLink(dirname(path), "write")
  await unlinkFile(path)
}

export function rmdirSync(folder: string): void {
  refuseLink(dirname(folder), "write")
  fs.rmdirSync(folder)
}

export function utimesSync(path: string, atime: Date, mtime: Date): void {
  refuseLink(path, "write")
  fs.lutimesSync(path, atime, mtime)
}

/** Throws if a path under `.hivemind/` is a link or below one. */
export function refuseLink(path: string, doing: "read" | "write"): void {
  const link = linkIn(path)
  if (link === undefined) return
  const why = `${link} is a link. A cloned repository can contain links, so HiveMind follows none in ${HIVE_FOLDER}/.`
  const instead = "Replace the link with a real file or folder, and copy the data you need from its target."
  const evidence = `${link} → ${resolve(dirname(link), fs.readlinkSync(link))}`
  throw refusal(doing === "read" ? "not_readable" : "not_writable", path, why, instead, evidence)
}

/** Returns the first symbolic link in the part of a path that begins at `.hivemind`. */
function linkIn(path: string): string | undefined {
  const root = rootEnd(path)
  for (let end = root; root >= 0 && end < path.length; ) {
    const next = path.indexOf(sep, end + 1)
    end = next < 0 ? path.length : next
    const stat = fs.lstatSync(path.slice(0, end), { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) return path.slice(0, end)
    if (stat === undefined) return undefined
  }
  return undefined
}

/** Checks an opened file: false if `path` leads to another file by now. Throws if it was opened through a link. */
function isFileAt(path: string, fd: number, flags: OpenFlags, attempts: number): boolean {
  const isSame = isOpenedAt(path, fd) ?? isSameFile(path, fd)
  // If a link is the cause, refuseLink throws an error that names it.
  if (!isSame) refuseLink(path, flags === "r" ? "read" : "write")
  if (!isSame && (attempts === 1 || flags === "wx"))
    throw refusal("locked", path, "Another process keeps replacing the file.", "Try again.", path)
  if (isSame && flags === "a") refuseShared(path, fs.fstatSync(fd, { bigint: true }))
  return isSame
}

/** Removes a file that a failed call has created: if it is a lock file, other processes would wait for it. */
function discard(path: string, fd: number, flags: OpenFlags): void {
  try {
    if (flags === "wx" && fs.lstatSync(path).ino === fs.fstatSync(fd).ino) fs.rmSync(path)
  } catch {
    // The file is gone or inaccessible. The caller reports its own error.
  }
}

/** Compares the opened file's path with the expected one: links and replaced files differ. Undefined except on Linux. */
function isOpenedAt(path: string, fd: number): boolean | undefined {
  let opened: string
  try {
    opened = fs.readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined // Not Linux.
  }
  const root = rootEnd(path)
  const project = path.slice(0, root)
  const isAt = (real: string | undefined) => real !== undefined && opened === join(real, path.slice(root))
  if (isAt(realProjects.get(project))) return true
  // The path above `.hivemind` may contain links, whose targets may have changed since.
  const real = fs.realpathSync.native(project)
  realProjects.set(project, real)
  return isAt(real)
}

/** Real paths of projects, cached because each lookup costs a system call per folder. */
const realProjects = new Map<string, string>()

/** Compares inodes, for systems that do not tell the real path of an open file. */
function isSameFile(path: string, fd: number): boolean {
  const opened = fs.fstatSync(fd, { bigint: true })
  if (linkIn(path) !== undefined) return false
  const there = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return there?.ino === opened.ino && there.dev === opened.dev
}

/** Refuses a file with a second hard link, because the other name may be outside of the project. */
function refuseShared(path: string, { ino, nlink }: fs.BigIntStats): void {
  if (nlink <= 1n || (nlink === 2n && hasTempName(path, ino))) return
  const unlink = `cp -p ${path} ${path}.copy && mv ${path}.copy ${path}`
  throw refusal("not_writable", path, `${path} has a second name (a hard link).`, unlink, `${nlink} names`)
}

/** Refuses a file that git tracks, or a log with a tracked segment, because a checkout would replace such files. */
function refuseTracked(path: string): void {
  const root = path.slice(0, rootEnd(path) + 1 + HIVE_FOLDER.length)
  const folder = dirname(path)
  const isLog = folder === join(root, "graph", "log")
  const tracked = trackedFiles(root).find((file) => file === path || (isLog && dirname(file) === folder))
  if (tracked === undefined) return
  const untrack = `git rm -r -q --cached ${HIVE_FOLDER} && git commit -m "Take ${HIVE_FOLDER} out of git"`
  throw refusal("not_writable", path, `Git tracks ${tracked}, so HiveMind only reads it.`, untrack, tracked)
}

/** True if the file's second name is a temporary one, which it has during its creation or after a crash. */
function hasTempName(path: string, ino: bigint): boolean {
  return fs
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path) + TEMP_MARK))
    .map((name) => fs.lstatSync(join(dirname(path), name), { bigint: true, throwIfNoEntry: false }))
    .some((stat) => stat?.ino === ino)
}

/** Returns where the part of the path before `.hivemind` ends; -1 if the path is not in a hive. */
function rootEnd(path: string): number {
  return `${path}${sep}`.lastIndexOf(`${sep}${HIVE_FOLDER}${sep}`)
}

function isInHive(path: string): boolean {
  return path.includes(`${sep}${HIVE_FOLDER}${sep}`)
}

function refusal(code: ErrorCode, path: string, why: string, use_instead: string, evidence: string) {
  const what = code === "not_writable" ? "Nothing was written." : `${path} was not read.`
  return new HiveError({ code, what, why, use_instead, evidence })
}

const readWhole = promisify<number, Buffer>((fd, done) => fs.readFile(fd, done))
const writeSome = promisify<number, Buffer, number>((fd, bytes, done) => fs.write(fd, bytes, done))

type OpenFlags = "r" | "r+" | "a" | "wx"

// Windows lacks this flag. There, the check after opening finds a link before anything is read or written.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0
const NO_FOLLOW: Record<OpenFlags, number> = {
  r: constants.O_RDONLY | NOFOLLOW,
  "r+": constants.O_RDWR | NOFOLLOW,
  a: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NOFOLLOW,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW,
}
const MAX_ATTEMPTS = 10
export const HIVE_FOLDER = ".hivemind"
export const TEMP_MARK = ".hivemind-tmp-"
