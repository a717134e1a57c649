import { setOf } from "./options.ts"

/**
 * What a build makes again, by its name. Where git ignores it nobody needs the name; these are for projects without
 * git, and for what git has not been told to ignore. A path inside the project, relative to it.
 */
export function isMadeByName(path: string): boolean {
  const segments = path.split("/").filter((segment) => segment !== "")
  return (
    MADE_FILE.test(segments.at(-1) ?? "") ||
    segments.some((one) => MADE_FOLDERS.has(one) || MADE_FOLDER.test(one))
  )
}

/** In a folder for temporary files; absolute. The folder itself is everybody's. */
export function isTemporary(path: string): boolean {
  return TEMPORARY.some((folder) => path.startsWith(`${folder}/`))
}

/** Caches of package managers in the user's home folder, each a folder's path from there: they fill themselves again. */
export function isCache(path: string, home: string): boolean {
  return (
    CACHES.some((folder) => path.startsWith(`${home}/${folder}/`)) ||
    WHOLE_CACHES.some((folder) => path === `${home}/${folder}`)
  )
}

/** Where programs are installed: what is there was made from something else. */
export function isInstalled(path: string, home: string): boolean {
  const places = [
    "/usr",
    "/usr/local",
    "/opt/homebrew",
    home,
    `${home}/.local`,
    `${home}/go`,
    `${home}/.cargo`,
  ]
  return places.some((place) =>
    ["bin", "sbin", "lib", "share"].some((one) => path.startsWith(`${place}/${one}/`)),
  )
}

const CACHES = [
  ".cache",
  "Library/Caches",
  ".npm",
  ".gradle/caches",
  ".m2/repository",
  ".cargo/registry",
  ".nuget/packages",
  ".local/share/pnpm/store",
]
/** Of these the folder itself may go too; in `.cache` is what others keep there. */
const WHOLE_CACHES = [
  ".npm",
  ".gradle/caches",
  ".cargo/registry",
  ".nuget/packages",
  ".local/share/pnpm/store",
]
const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders", "/dev/shm"]
const MADE_FOLDERS = setOf(
  "node_modules dist build out target coverage tmp temp .tmp .temp .cache .next .nuxt .output .svelte-kit .turbo " +
    ".parcel-cache .vite .angular .astro .docusaurus .expo .wrangler .vercel .nyc_output .nx storybook-static " +
    "playwright-report test-results htmlcov __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv " +
    ".eggs .gradle .terraform obj _build DerivedData Pods .dart_tool .zig-cache zig-out .eslintcache",
)
const MADE_FOLDER = /^(cmake-build-.+|.+\.egg-info|dist-.+)$/
const MADE_FILE =
  /^(.*[-_.]te?mp|.*\.(log|pid|sock|pyc|pyo|o|obj|class|swp|swo|bak|orig|rej|tsbuildinfo|cache|gcda|gcno|tgz)|\.DS_Store|Thumbs\.db|\.coverage|npm-debug.*)$/
