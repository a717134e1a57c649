/** True for `/…` and `C:/…`. Separators must be slashes. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path)
}

export function contains(folder: string, inner: string): boolean {
  return folder === inner || inner.startsWith(folder === "/" ? "/" : `${folder}/`)
}

/** Whether an absolute path is inside a folder for temporary files. The folder itself is not. */
export function isTemporary(path: string): boolean {
  return TEMPORARY.some((folder) => path.startsWith(`${folder}/`)) || WINDOWS_TEMPORARY.test(path)
}

/** Whether a path is in a cache of the home folder, such as npm's, that programs can fill again. */
export function isCache(path: string, home: string): boolean {
  return CACHES.some(
    (folder, n) => path.startsWith(`${home}/${folder}/`) || (n > 1 && path === `${home}/${folder}`),
  )
}

/** Whether a path in the project looks like output that a build or tool can create again. */
export function isBuildOutput(path: string): boolean {
  const segments = path.split("/").filter((segment) => segment !== "")
  return BUILD_FILE.test(segments.at(-1) ?? "") || segments.some((one) => BUILD_FOLDER.test(one))
}

const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders", "/dev/shm"]
const WINDOWS_TEMPORARY = /^[a-z]:\/users\/[^/]+\/appdata\/local\/temp\/./i
/** Caches in the home folder. Of the first two, which many programs share, only the content counts as a cache. */
const CACHES = [
  ...[".cache", "Library/Caches", ".npm", ".gradle/caches", ".m2/repository", ".cargo/registry"],
  ...[".nuget/packages", ".local/share/pnpm/store"],
]
const BUILD_FOLDER =
  /^(node_modules|dist|build|out|target|coverage|tmp|temp|obj|_build|venv|htmlcov|__pycache__|storybook-static|playwright-report|test-results|DerivedData|Pods|zig-out|\.(tmp|temp|cache|next|nuxt|output|svelte-kit|turbo|parcel-cache|vite|angular|astro|docusaurus|expo|wrangler|vercel|nyc_output|nx|pytest_cache|mypy_cache|ruff_cache|tox|nox|venv|eggs|gradle|terraform|dart_tool|zig-cache|eslintcache)|cmake-build-.+|.+\.egg-info|dist-.+)$/
const BUILD_FILE =
  /^(.*[-_.]te?mp|.*\.(log|pid|sock|pyc|pyo|o|obj|class|swp|swo|bak|orig|rej|tsbuildinfo|cache|gcda|gcno|tgz)|\.DS_Store|Thumbs\.db|\.coverage|npm-debug.*)$/
