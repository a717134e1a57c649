import { posix } from "node:path"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { Frame } from "./frame.ts"
import { setOf } from "./options.ts"
import type { Run } from "./program.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"

/** A word of a command as an absolute path; it may still hold patterns and unknown pieces. */
export function resolvePath(word: string, frame: Frame, run: Run): string {
  const text = word.replaceAll("\\", "/")
  if (text === "~" || text.startsWith("~/")) return normalizePath(run.home + text.slice(1))
  if (text.startsWith("~")) return normalizePath(`/${text}`)
  if (isAbsolute(text) || text.startsWith(UNKNOWN)) return normalizePath(text)
  return normalizePath(`${frame.cwd}/${text}`)
}

/** Relative inside the project, absolute outside; undefined if the path cannot be known. */
export function displayPath(path: string, project: string): string | undefined {
  if (!isKnown(path)) return undefined
  if (path === project) return "."
  return isInside(path, project) ? path.slice(project.length + 1) : path
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
  if (inProject || path.startsWith(UNKNOWN))
    return MADE_FILE.test(last) || segments.some((one) => MADE_FOLDERS.has(one) || MADE_FOLDER.test(one))
  if (isInside(path, `${run.home}/.cache`)) return last !== "*"
  return TEMPORARY.some((folder) => isInside(path, folder) && path !== `${folder}/*`)
}

/** The project, the home folder, a folder that contains them, or one of the system's own. */
export function isTopLevel(path: string, run: Run): boolean {
  const folder = path.replace(/\/(\*+|\.\*)$/, "") || "/"
  if (contains(folder, run.project) || contains(folder, run.home)) return true
  return !isInside(folder, run.project) && folder.split("/").length <= 2
}

/** A pattern counts as what it could match; `*` alone leaves names with a dot in front alone. */
export function isInHive(path: string): boolean {
  return path.split("/").some((segment) => segment === HIVE_FOLDER || couldBeHive(segment))
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
  return /^\/dev\/(null|zero|full|stdout|stderr|stdin|tty|fd\/|pts\/|tcp\/|udp\/)/.test(path)
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

function couldBeHive(segment: string): boolean {
  if (!/[*?[]/.test(segment) || !/^[.[]/.test(segment) || segment.length > HIVE_FOLDER.length * 4)
    return false
  const pattern = segment
    .replaceAll(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll(/\*+/g, ".*")
    .replaceAll("?", ".")
  try {
    return new RegExp(`^${pattern}$`).test(HIVE_FOLDER)
  } catch {
    // Not a pattern after all, such as an unclosed "[": the shell takes it as a plain name.
    return false
  }
}

const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders", "/dev/shm"]
const MADE_FOLDERS = setOf(
  "node_modules dist build out target coverage tmp temp .tmp .temp .cache .next .nuxt .output .svelte-kit .turbo " +
    ".parcel-cache .vite .angular .astro .docusaurus .expo .serverless .wrangler .vercel .netlify .nyc_output " +
    "storybook-static playwright-report test-results htmlcov __pycache__ .pytest_cache .mypy_cache .ruff_cache " +
    ".tox .nox .venv venv .eggs .gradle .terraform obj _build DerivedData Pods .dart_tool elm-stuff .stack-work " +
    "dist-newstyle zig-cache zig-out .zig-cache .bloop .metals .eslintcache .jest-cache",
)
const MADE_FOLDER = /^(cmake-build-.+|.+\.egg-info|dist-.+)$/
const MADE_FILE =
  /^(.*\.(log|tmp|temp|pid|sock|pyc|pyo|o|obj|class|swp|swo|bak|orig|rej|tsbuildinfo|cache|coverage|gcda|gcno|tgz)|\.DS_Store|Thumbs\.db|\.eslintcache|\.coverage|npm-debug.*|core)$/
