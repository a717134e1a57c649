import { posix } from "node:path"
import { segmentsMeet } from "../../shared/glob.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { Frame } from "./frame.ts"
import { isCache, isMadeByName, isTemporary } from "./made-files.ts"
import type { Run } from "./program.ts"
import { GUARDED, isKnown, UNKNOWN } from "./unknown-text.ts"

/** A word of a command as an absolute path; it may still hold patterns and unknown pieces. */
export function resolvePath(word: string, frame: Frame, run: Run): string {
  if (word.length > MAX_WORD_CHARS) return UNKNOWN
  const path = PLAIN.test(word)
    ? `${frame.cwd === "/" ? "" : frame.cwd}/${word}`
    : followed(word.replaceAll(GUARDED, ""), frame, run)
  // `ln -s .hivemind x; echo > x/y`: below a link that this command has made, it is where the link leads.
  for (const [link, target] of run.links) if (isInside(path, link)) return target + path.slice(link.length)
  return path
}

function followed(word: string, frame: Frame, run: Run): string {
  const spelled = placed(word.replaceAll("\\", "/"), frame, run)
  // Up from a folder that cannot be known.
  return /[\uE000-\uE002][^/]*\/+\.\.(\/|$)/.test(spelled) ? UNKNOWN : normalizePath(spelled)
}

function placed(text: string, frame: Frame, run: Run): string {
  if (text === "~" || text.startsWith("~/")) return run.home + text.slice(1)
  if (text.startsWith("~")) return `/${text}`
  return isAbsolute(text) || text.startsWith(UNKNOWN) ? text : `${frame.cwd}/${text}`
}

/** This command makes the folder: a later step may go there. */
export function noteFolder(word: string, frame: Frame, run: Run): void {
  if (run.folders.size < MAX_FOLDERS) run.folders.add(resolvePath(word, frame, run))
}

/** Relative inside the project, absolute outside; undefined if the path cannot be known. */
export function displayPath(path: string, project: string): string | undefined {
  if (!isKnown(path)) return undefined
  if (path === project) return "."
  return isInside(path, project) ? path.slice(project.length + 1) : path
}

/** Below the project's root, and not in git's own folder: git can be asked about it. */
export function isInProject(path: string, run: Run): boolean {
  if (!isInside(folderOf(path), run.project) || contains(path, run.home)) return false
  return !path
    .slice(run.project.length + 1)
    .split("/")
    .includes(".git")
}

/** What a build makes again, and temporary files: deleting these is ordinary. */
export function isRegenerable(path: string, run: Run): boolean {
  if (contains(path, run.project) || contains(path, run.home)) return false
  const inProject = isInside(path, run.project)
  const below = inProject ? path.slice(run.project.length + 1) : path
  const segments = below.split("/").filter(Boolean)
  const last = segments.at(-1) ?? ""
  if (segments.includes(".git")) return /^[\w-]+\.lock$/.test(last)
  if (segments.includes(HIVE_FOLDER)) return false
  if (inProject || path.startsWith(UNKNOWN)) return isMadeByName(below)
  const folder = folderOf(path)
  return isTemporary(folder) || isCache(folder, run.home)
}

/** The project, the home folder, a folder that contains them, or one of the system's own. */
export function isTopLevel(path: string, run: Run): boolean {
  const folder = folderOf(path)
  if (contains(folder, run.project) || contains(folder, run.home)) return true
  return !isInside(folder, run.project) && folder.split("/").length <= 2
}

/** A pattern counts as what it could match. Notes for people are no part of it. */
export function isInHive(path: string, dotglob = false): boolean {
  if (!/[.*?[\uE000\uE001]/.test(path)) return false
  const segments = path.split("/")
  const at = segments.findIndex((segment) => couldBeHive(segment, dotglob))
  return at !== -1 && segments[at + 1] !== NOTES
}

/** Is `inner` this folder or somewhere below it? */
export function contains(folder: string, inner: string): boolean {
  return folder === inner || isInside(inner, folder)
}

export function isDiskDevice(path: string): boolean {
  return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper\/|md|loop|dm-|sr)/.test(path)
}

/** Written to, but nothing is kept: terminals, pipes, /dev/null. */
export function isDiscarded(path: string): boolean {
  return /^\/dev\/(null|zero|full|stdout|stderr|stdin|tty|fd\/|pts\/|tcp\/|udp\/)|^\/proc\/\w+\/fd\//.test(
    path,
  )
}

/** `src/*` and all that is in `src` are one. */
function folderOf(path: string): string {
  return path.replace(/(\/(\*+|\.\*))+$/, "") || "/"
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`) && path !== folder
}

function isAbsolute(text: string): boolean {
  return /^([A-Za-z]:)?\//.test(text)
}

export function normalizePath(path: string): string {
  const normal = posix.normalize(path.replaceAll("\\", "/"))
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal
}

/** Only a pattern that begins with the dot matches a name that does; an unknown piece may be any text. */
function couldBeHive(segment: string, dotglob: boolean): boolean {
  const name = segment.toLowerCase()
  if (name === HIVE_FOLDER) return true
  if (!/[*?[\uE000\uE001]/.test(name) || name.length < 2) return dotglob && name === "*"
  return (
    (dotglob || name.startsWith(".")) && segmentsMeet(name.replaceAll(/[\uE000\uE001]/g, "*"), HIVE_FOLDER)
  )
}

/** Nobody writes longer paths; to follow them takes long. */
export const MAX_WORD_CHARS = 2048
const MAX_FOLDERS = 50
const NOTES = "artifacts"
/** Names below the folder that it is looked at from, with no way up among them; most words are. */
const PLAIN = /^[\w@%+=,-][\w@%+=,.-]*(?:\/[\w@%+=,-][\w@%+=,.-]*)*$/
