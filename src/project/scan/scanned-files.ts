import type { Pausing } from "../../shared/slices.ts"

/** The files of a project for detectors: all paths, and texts on demand. */
export interface ScannedFiles {
  /** Relative to the project's folder, with `/`. */
  paths: readonly string[]
  /** True of a file, and of a folder that has one. */
  has: (path: string) => boolean
  /** Undefined where it cannot be read, is too large, or is no text; why is noted. */
  text: (path: string) => string | undefined
  note: (note: string) => void
}

export function* scannedFiles(
  paths: readonly string[],
  text: ScannedFiles["text"],
  note: ScannedFiles["note"],
): Pausing<ScannedFiles> {
  const there = new Set<string>()
  for (const path of paths) {
    if (there.size % PAUSE_EVERY === 0) yield
    there.add(path)
    // Folders above it, up to one that is known already.
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end)
      if (there.has(folder)) break
      there.add(folder)
    }
  }
  return { paths, has: (path) => there.has(path), text, note }
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

/** "" for a file at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

export function inFolder(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`
}

/** How many folders a path is below the project's. */
export function depthOf(path: string): number {
  return path === "" ? 0 : path.split("/").length - 1
}

/** A file for tests, vendored code or an example: its manifest says nothing about how the project is built. */
export function isBeside(path: string): boolean {
  return BESIDE.test(path)
}

export function isNotOurs(path: string): boolean {
  return NOT_OURS.test(path)
}

const PAUSE_EVERY = 100
const NOT_OURS =
  /(^|\/)(node_modules|vendor|vendored|third[-_]party|external|bower_components|dist|\.yarn|\.venv|venv|site-packages|__pycache__|target|Pods|playwright-report|lcov-report|htmlcov|allure-report|storybook-static)\/|^coverage\/(?:[^/]+\/)*(?:prettify|sorter|block-navigation)\.js$/i
const BESIDE =
  /(^|\/)(node_modules|vendor|vendored|third[-_]party|\.yarn|fixtures?|__fixtures__|testdata|test[-_]data|mocks?|__mocks__|templates?|examples?|samples?|demos?|playgrounds?|cookiecutters?|tests?|__tests__|e2e|spec-fixtures|benchmarks?|bench)\//i
