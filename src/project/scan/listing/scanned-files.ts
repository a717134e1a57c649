import type { Pausing } from "../../../shared/slices.ts"

/** The project's files as detectors see them: all paths, and the text of those they ask for. */
export interface ScannedFiles {
  /** Relative to the project's folder, with `/`. */
  paths: readonly string[]
  /** True of a file, and of a folder that has one. */
  has: (path: string) => boolean
  /** The files of that name, in whichever folder. */
  named: (name: string) => readonly string[]
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
  const byName = new Map<string, string[]>()
  for (const path of paths) {
    if (there.size % PAUSE_EVERY === 0) yield
    there.add(path)
    const name = nameOf(path)
    const alike = byName.get(name)
    if (alike === undefined) byName.set(name, [path])
    else alike.push(path)
    // Folders above it, up to one that is known already.
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end)
      if (there.has(folder)) break
      there.add(folder)
    }
  }
  return { paths, has: (path) => there.has(path), named: (name) => byName.get(name) ?? [], text, note }
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

/**
 * What lies there is not the project itself: made for its tests, brought along from elsewhere, or an example of its use.
 * A manifest in there says nothing about how the project is built.
 */
export function isBeside(path: string): boolean {
  return BESIDE.test(path)
}

/** Brought along or generated: not written here. */
export function isNotOurs(path: string): boolean {
  return NOT_OURS.test(path)
}

const PAUSE_EVERY = 100
const NOT_OURS =
  /(^|\/)(node_modules|vendor|vendored|third[-_]party|external|bower_components|dist|\.yarn|\.venv|venv|site-packages|__pycache__|target|Pods|playwright-report|lcov-report|htmlcov|allure-report|storybook-static)\/|^coverage\/(?:[^/]+\/)*(?:prettify|sorter|block-navigation)\.js$/i
const BESIDE =
  /(^|\/)(node_modules|vendor|vendored|third[-_]party|\.yarn|fixtures?|__fixtures__|testdata|test[-_]data|mocks?|__mocks__|templates?|examples?|samples?|demos?|playgrounds?|cookiecutters?|tests?|__tests__|e2e|spec-fixtures|benchmarks?|bench)\//i
