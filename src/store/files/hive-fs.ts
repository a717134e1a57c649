import fs, { constants } from "node:fs"
import { unlink as unlinkFile } from "node:fs/promises"
import { basename, dirname, join, resolve, sep } from "node:path"
import { promisify } from "node:util"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { trackedFiles } from "../../shared/git-tracked.ts"
import { retryBusy } from "../../shared/retry-busy.ts"
import { systemCode } from "../../shared/system-error.ts"

/**
 * `node:fs` for files under `.hivemind/`, with the same names. None of these calls follows a link there: a cloned
 * repository can contain one, and a write through it would change a file outside of the project. Other paths are not checked.
 */
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
    throw explainLink(error, path, flags)
  }
  fs.closeSync(fd)
  return openSync(path, flags, mode, attempts - 1)
}

/** Opens a file to read it; undefined where there is none. */
export function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r")
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** True for the error of a path that does not exist. */
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

/** For work that must not block the event loop; opening the file takes no time. */
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

/** Appends without fsync. */
export function appendFile(path: string, text: string): Promise<void> {
  return withFile(path, "a", (fd) => writeAsync(fd, Buffer.from(text)))
}

/** Writes all bytes: the system may take fewer than it is given in one call. */
export function writeWhole(fd: number, text: string | Buffer): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text
  for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written)
}

export async function writeAsync(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += await writeSome(fd, bytes.subarray(at))
}

/** True for a file, a folder or a link, wherever the link leads. */
export function existsSync(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // Like node:fs: false where access is denied.
  }
}

// Of the file or the link itself, never of the link's target.
export { lstatSync as statSync } from "node:fs"

/** In bytes; 0 for a file that does not exist. */
export function fileSize(path: string): number {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The names in a folder; none if it does not exist. */
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

/** Every file and link below a folder, without following links to folders. Skips folders that cannot be read. */
export function listTree(folder: string): { path: string; isLink: boolean }[] {
  let entries: fs.Dirent[]
  try {
    refuseLink(folder, "read")
    entries = fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Reading the files in it reports the reason.
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
  const why = `${link} is a link. A repository can bring links along, so HiveMind follows none in ${HIVE_FOLDER}/.`
  const instead = "Replace the link by a real file or folder; copy the data to keep from the link's target."
  const evidence = `${link} → ${resolve(dirname(link), fs.readlinkSync(link))}`
  throw refusal(doing === "read" ? "not_readable" : "not_writable", path, why, instead, evidence)
}

/** The first link on a path, from `.hivemind` downwards. */
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

/** True if the opened file is the one at its path, reached through no link; false if it was replaced meanwhile. */
function isFileAt(path: string, fd: number, flags: OpenFlags, attempts: number): boolean {
  const isSame = isOpenedAt(path, fd) ?? isSameFile(path, fd)
  // If a link is the reason, name it.
  if (!isSame) refuseLink(path, flags === "r" ? "read" : "write")
  if (!isSame && (attempts === 1 || flags === "wx"))
    throw refusal("locked", path, "Another process keeps replacing the file.", "Try again.", path)
  if (isSame && flags === "a") refuseShared(path, fs.fstatSync(fd, { bigint: true }))
  return isSame
}

/** Removes a file that was created and failed the check: other processes would wait for it if it is a lock. */
function discard(path: string, fd: number, flags: OpenFlags): void {
  try {
    if (flags === "wx" && fs.lstatSync(path).ino === fs.fstatSync(fd).ino) fs.rmSync(path)
  } catch {
    // Gone, or out of reach: the error of the check is the one to report.
  }
}

/**
 * Linux names the file of a descriptor, even if a folder above it was swapped for a link meanwhile. So this one check finds
 * both a followed link and a replaced file. Undefined on other systems.
 */
function isOpenedAt(path: string, fd: number): boolean | undefined {
  let opened: string
  try {
    opened = fs.readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined // Not Linux.
  }
  // The project's own path may lead through links.
  const root = rootEnd(path)
  return opened === join(fs.realpathSync.native(path.slice(0, root)), path.slice(root))
}

/** Compares inodes: for systems that do not name the opened file. */
function isSameFile(path: string, fd: number): boolean {
  const opened = fs.fstatSync(fd, { bigint: true })
  if (linkIn(path) !== undefined) return false
  const there = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return there?.ino === opened.ino && there.dev === opened.dev
}

/** Refuses to append to a file that has another hard link, which may be outside of the project. */
function refuseShared(path: string, { ino, nlink }: fs.BigIntStats): void {
  if (nlink <= 1n || (nlink === 2n && hasTempName(path, ino))) return
  const unlink = `cp -p ${path} ${path}.copy && mv ${path}.copy ${path}`
  throw refusal("not_writable", path, `${path} has another name too (a hard link).`, unlink, `${nlink} names`)
}

/**
 * Refuses to append to a file that git tracks, and to a log of which git tracks a segment: the next checkout would replace
 * that segment, and later entries would no longer fit the ones before them.
 */
function refuseTracked(path: string): void {
  const root = path.slice(0, rootEnd(path) + 1 + HIVE_FOLDER.length)
  const folder = dirname(path)
  const isLog = folder === join(root, "graph", "log")
  const tracked = trackedFiles(root).find((file) => file === path || (isLog && dirname(file) === folder))
  if (tracked === undefined) return
  const untrack = `git rm -r -q --cached ${HIVE_FOLDER} && git commit -m "Take ${HIVE_FOLDER} out of git"`
  throw refusal("not_writable", path, `Git tracks ${tracked}, so it is only read.`, untrack, tracked)
}

/** A file is created under a temporary name. It has both names for a moment, or after a crash. */
function hasTempName(path: string, ino: bigint): boolean {
  return fs
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path) + TEMP_MARK))
    .map((name) => fs.lstatSync(join(dirname(path), name), { bigint: true, throwIfNoEntry: false }))
    .some((stat) => stat?.ino === ino)
}

/** ELOOP means that the system refused a link: report it by name. */
function explainLink(error: unknown, path: string, flags: OpenFlags): unknown {
  if (systemCode(error) === "ELOOP") refuseLink(path, flags === "r" ? "read" : "write")
  return error
}

/** Where the project's own path ends; -1 for a path outside of any hive. */
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

/** Read, read and write, append (and read), or create a file that is not there yet. */
type OpenFlags = "r" | "r+" | "a" | "wx"

// Windows has no such flag. There the check after opening finds the link, before anything is read or written.
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
