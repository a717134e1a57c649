import { posix } from "node:path"
import { HOLE, isKnown } from "./hole.ts"
import { HIVE_FOLDER } from "./judgement.ts"
import { setOf } from "./options.ts"
import type { Frame, Run } from "./run.ts"

/** A word of a command as a path: absolute and tidy; it may still have patterns and holes in it. */
export function placeOf(word: string, frame: Frame, run: Run): string {
  const text = word.replaceAll("\\", "/")
  if (text === "~" || text.startsWith("~/")) return tidy(run.home + text.slice(1))
  if (text.startsWith("~")) return tidy(`/${text}`)
  if (isAbsolute(text) || text.startsWith(HOLE)) return tidy(text)
  return tidy(`${frame.cwd}/${text}`)
}

/** As the caller wants it: relative inside the project. Undefined if where it is cannot be known. */
export function shownPlace(place: string, project: string): string | undefined {
  if (!isKnown(place)) return undefined
  if (place === project) return "."
  return isInside(place, project) ? place.slice(project.length + 1) : place
}

/** May it go without a word? What a build makes again, and temporary files. */
export function isExpendable(place: string, run: Run): boolean {
  if (holds(place, run.project) || holds(place, run.home)) return false
  const inProject = isInside(place, run.project)
  const below = inProject ? place.slice(run.project.length + 1) : place
  const segments = below.split("/").filter(Boolean)
  const last = segments.at(-1) ?? ""
  if (segments.includes(".git")) return /^[\w-]+\.lock$/.test(last)
  if (segments.includes(HIVE_FOLDER)) return false
  if (inProject || place.startsWith(HOLE))
    return MADE_FILE.test(last) || segments.some((one) => MADE_FOLDERS.has(one) || MADE_FOLDER.test(one))
  if (isInside(place, `${run.home}/.cache`)) return last !== "*"
  return TEMPORARY.some((folder) => isInside(place, folder) && place !== `${folder}/*`)
}

/** Everything: the project, the home folder, a folder that holds them, or one of the system's own. */
export function isBroad(place: string, run: Run): boolean {
  const folder = place.replace(/\/(\*+|\.\*)$/, "") || "/"
  if (holds(folder, run.project) || holds(folder, run.home)) return true
  return !isInside(folder, run.project) && folder.split("/").length <= 2
}

/** A pattern counts as what it could match; `*` alone leaves names with a dot in front alone. */
export function isHive(place: string): boolean {
  return place.split("/").some((segment) => segment === HIVE_FOLDER || couldBeHive(segment))
}

/** Is `inner` this folder or somewhere below it? */
export function holds(folder: string, inner: string): boolean {
  return folder === inner || isInside(inner, folder)
}

export function isDisk(place: string): boolean {
  return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|mapper\/|md|loop|dm-|sr)/.test(place)
}

/** Written to, but nothing is kept: terminals, pipes, /dev/null. */
export function isSink(place: string): boolean {
  return /^\/dev\/(null|zero|full|stdout|stderr|stdin|tty|fd\/|pts\/|tcp\/|udp\/)/.test(place)
}

function isInside(place: string, folder: string): boolean {
  return place.startsWith(folder === "/" ? "/" : `${folder}/`) && place !== folder
}

function isAbsolute(text: string): boolean {
  return /^([A-Za-z]:)?\//.test(text)
}

export function tidy(path: string): string {
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
