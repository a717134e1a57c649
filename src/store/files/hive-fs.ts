import fs, { constants } from "node:fs"
import { unlink as unlinkFile } from "node:fs/promises"
import { basename, dirname, join, resolve, sep } from "node:path"
import { promisify } from "node:util"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { trackedFiles } from "../../shared/git-tracked.ts"
import { systemCode } from "../../shared/system-error.ts"

/**
 * `node:fs` for files under `.hivemind/`, with the same names. None of these calls follows a link there: a cloned
 * repository may bring one along, and then a write would reach a file outside of the project. Other paths pass through.
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
  const fd = openSync(path, "r")
  try {
    return fs.readFileSync(fd, encoding)
  } finally {
    fs.closeSync(fd)
  }
}

export function readFile(path: string): Promise<Buffer> {
  return withFile(path, "r", (fd) => readWhole(fd))
}

export function appendFileSync(path: string, text: string): void {
  const fd = openSync(path, "a")
  try {
    fs.appendFileSync(fd, text)
  } finally {
    fs.closeSync(fd)
  }
}

export function appendFile(path: string, text: string): Promise<void> {
  return withFile(path, "a", (fd) => writeAside(fd, Buffer.from(text)))
}

/** Writes all of it where the last write has ended. A disk may take less than it was given. */
export async function writeAside(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += await writeSome(fd, bytes.subarray(at))
}

/** Whether there is a file, a folder or a link. */
export function existsSync(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // As of node:fs: false where it cannot tell.
  }
}

/** Of the file or the link itself. */
export { lstatSync as statSync } from "node:fs"

export function readdirSync(folder: string): string[] {
  refuseLink(folder, "read")
  return fs.readdirSync(folder)
}

/** Every file and link below a folder. Links to folders are not walked into, and folders that cannot be read are skipped. */
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
  fs.renameSync(from, to)
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

/** Throws where a path under `.hivemind/` is a link, or is below one. */
export function refuseLink(path: string, doing: "read" | "write"): void {
  const link = linkIn(path)
  if (link === undefined) return
  const why = `${link} is a link. A repository can bring links along, so HiveMind follows none in ${HIVE_FOLDER}/.`
  const instead = "Put a file or folder in its place: copy what you want to keep from where it leads."
  const evidence = `${link} → ${resolve(dirname(link), fs.readlinkSync(link))}`
  throw refusal(doing === "read" ? "not_readable" : "not_writable", path, why, instead, evidence)
}

/** The first link on a path, from `.hivemind` on. */
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

/** Whether the opened file is the one at its path, with no link on the way: false where it was replaced since. */
function isFileAt(path: string, fd: number, flags: OpenFlags, attempts: number): boolean {
  const isSame = isOpenedAt(path, fd) ?? isSameFile(path, fd)
  // This names the link, where there is one.
  if (!isSame) refuseLink(path, flags === "r" ? "read" : "write")
  if (!isSame && (attempts === 1 || flags === "wx"))
    throw refusal("locked", path, "Another process keeps replacing the file.", "Try again.", path)
  if (isSame && flags === "a") refuseShared(path, fs.fstatSync(fd, { bigint: true }))
  return isSame
}

/** A file that was created and could not be checked does not stay: as a lock it would be waited for. */
function discard(path: string, fd: number, flags: OpenFlags): void {
  try {
    if (flags === "wx" && fs.lstatSync(path).ino === fs.fstatSync(fd).ino) fs.rmSync(path)
  } catch {
    // Gone, or out of reach: the error of the check is the one to report.
  }
}

/**
 * Linux names the file that a descriptor belongs to, whichever folder is swapped for a link meanwhile. So one question answers
 * whether a link was followed, and whether another file is at the path now. Undefined on other systems.
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

/** By what the system says of both, where it does not name the opened file. */
function isSameFile(path: string, fd: number): boolean {
  const opened = fs.fstatSync(fd, { bigint: true })
  if (linkIn(path) !== undefined) return false
  const there = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return there?.ino === opened.ino && there.dev === opened.dev
}

/** A file that has another name, perhaps outside, is not appended to. */
function refuseShared(path: string, { ino, nlink }: fs.BigIntStats): void {
  if (nlink <= 1n || (nlink === 2n && hasTempName(path, ino))) return
  const unlink = `cp -p ${path} ${path}.copy && mv ${path}.copy ${path}`
  throw refusal("not_writable", path, `${path} has another name too (a hard link).`, unlink, `${nlink} names`)
}

/**
 * A file that git tracks is only read. Nor is a log continued of which git tracks a segment: the next checkout would replace
 * that part of it, and what was written here would follow on something else.
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

/** A file is created under a temporary name, and has both names for a moment, or after a crash. */
function hasTempName(path: string, ino: bigint): boolean {
  return fs
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path) + TEMP_MARK))
    .map((name) => fs.lstatSync(join(dirname(path), name), { bigint: true, throwIfNoEntry: false }))
    .some((stat) => stat?.ino === ino)
}

/** Names the link where the system refused to open one. */
function explainLink(error: unknown, path: string, flags: OpenFlags): unknown {
  if (systemCode(error) === "ELOOP") refuseLink(path, flags === "r" ? "read" : "write")
  return error
}

/** Where the path of the project ends; -1 where the path is in no hive. */
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

/** Read, append (and read), or create a file that is not there yet. */
type OpenFlags = "r" | "a" | "wx"

// Windows has no such flag. There the check after opening finds the link, before anything is read or written.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0
const NO_FOLLOW: Record<OpenFlags, number> = {
  r: constants.O_RDONLY | NOFOLLOW,
  a: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NOFOLLOW,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW,
}
const MAX_ATTEMPTS = 10
export const HIVE_FOLDER = ".hivemind"
export const TEMP_MARK = ".hivemind-tmp-"
