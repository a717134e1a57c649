import { join } from "node:path/posix"
import type { Pausing } from "../../shared/slices.ts"
import { folderOf } from "../project-path.ts"

export interface ScannedFiles {
  paths: readonly string[]
  /** True for a file, and for a folder that contains a file. */
  has: (path: string) => boolean
  /** The text of a file. Undefined, with a note of the reason, if it is unreadable, too large or binary. */
  text: (path: string) => string | undefined
  note: (note: string) => void
}

export function* scannedFiles(given: Omit<ScannedFiles, "has">): Pausing<ScannedFiles> {
  const there = new Set<string>()
  for (const path of given.paths) {
    if (there.size % PAUSE_EVERY === 0) yield
    there.add(path)
    // Adds the folders above the file, up to one that was added before.
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end)
      if (there.has(folder)) break
      there.add(folder)
    }
  }
  return { ...given, has: (path) => there.has(path) }
}

export function besideOf(files: ScannedFiles, manifest: string, names: readonly string[]) {
  return names.map((name) => join(folderOf(manifest), name)).find(files.has)
}

export function depthOf(path: string): number {
  return path.split("/").length - 1
}

/** Whether a file is a test, an example or vendored code. A manifest there says nothing about how to build the project. */
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
