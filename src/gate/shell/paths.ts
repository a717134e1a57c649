import { posix } from "node:path"
import { segmentsMeet } from "../../shared/glob.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { isKnown, NOT_EMPTY, UNKNOWN } from "./expand-word.ts"

/** Folders that a command's paths are held against, all absolute. */
export interface Places {
  /** The project's root. */
  project: string
  /** The folder that holds `.hivemind/`. */
  hive: string
  home: string
}

/** A word of a command as an absolute path; it may still hold patterns and unknown pieces. */
export function resolvePath(word: string, cwd: string, { home }: Places): string {
  if (word.length > MAX_WORD_CHARS) return UNKNOWN
  const text = word.replaceAll("\\", "/")
  if (text === "~" || text.startsWith("~/")) return normalizePath(home + text.slice(1))
  if (/^([A-Za-z]:)?\//.test(text) || !isKnown(text.slice(0, 1))) return upFromUnknown(text)
  // Behind `cd "$X" &&` a plain name is one in that folder; a pattern is everything in it.
  if (cwd === UNKNOWN && /^\w[\w./-]*$/.test(text)) return `${NOT_EMPTY}/${text}`
  const folder = /^~(\/|$)/.test(cwd) ? home + cwd.slice(1) : cwd
  return upFromUnknown(`${folder}/${text}`)
}

/** Up from a folder that is not known is anywhere. */
function upFromUnknown(path: string): string {
  return /[\uE000\uE001][^/]*\/+\.\.(\/|$)/.test(path) ? UNKNOWN : normalizePath(path)
}

/** Relative inside of the project, absolute outside, UNKNOWN_PATH where it is not known. */
export function displayPath(path: string, project: string): string {
  if (!isKnown(path)) return UNKNOWN_PATH
  if (path === project) return "."
  return path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path
}

/** A pattern counts as what it could match. Notes for people in `artifacts` are no part of it. */
export function isInHive(path: string): boolean {
  const segments = path.split("/")
  const at = segments.findIndex(couldBeHive)
  return at !== -1 && segments[at + 1] !== "artifacts"
}

/** Only a pattern that begins with the dot matches a name that does; an unknown piece may be any text. */
function couldBeHive(segment: string): boolean {
  const name = segment.toLowerCase().replaceAll(/[\uE000\uE001]/g, "*")
  if (name === HIVE_FOLDER) return true
  return name.length > 1 && /[*?[]/.test(name) && name.startsWith(".") && segmentsMeet(name, HIVE_FOLDER)
}

export function isDiskDevice(path: string): boolean {
  return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper\/|md|loop|dm-|sr)/.test(path)
}

/** Written to, but nothing is kept: terminals, pipes, /dev/null. */
export function isNullDevice(path: string): boolean {
  return /^\/dev\/(null|zero|full|stdout|stderr|stdin|tty|fd\/|pts\/|tcp\/|udp\/)|^\/proc\/\w+\/fd\//.test(
    path,
  )
}

export function normalizePath(path: string): string {
  const normal = posix.normalize(path.replaceAll("\\", "/"))
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal
}

export const UNKNOWN_PATH = "?"
const MAX_WORD_CHARS = 2048
