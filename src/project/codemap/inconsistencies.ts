import { dirname, join } from "node:path/posix"
import type { Pausing } from "../../shared/slices.ts"
import { ignoreTest } from "../files/list-files.ts"
import type { CodeMap } from "./code-map.ts"
import type { ImportGraph, Unresolved } from "./import-graph.ts"
import { isComponent } from "./languages.ts"

export interface Inconsistency {
  file: string
  line: number
  kind: "parameter" | "symbol" | "import"
  what: string
}

/** Finds documented parameters that do not exist, comments that name a removed export, and imports of missing files. */
export function* findInconsistencies(dir: string, map: CodeMap, graph: ImportGraph) {
  const found: Inconsistency[] = []
  for (const { from, line, spec } of yield* missingImports(dir, map, graph))
    found.push({ file: from, line, kind: "import", what: `"${spec}" resolves to no file` })
  for (const { path: file, claims = [] } of map.files.values()) {
    yield
    // Only the scripts of Vue and Svelte files are read: a parameter that seems missing may be elsewhere.
    if (GENERATED_FILE.test(file) || isComponent(file)) continue
    for (const { line, name, of } of claims)
      found.push({ file, line, kind: "parameter", what: `@param ${name}: ${of} has no such parameter` })
  }
  found.push(...(yield* removedNames(map)))
  const unique = new Map(found.map((each) => [`${each.file}:${each.line} ${each.what}`, each]))
  return [...unique.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
}

function* removedNames(map: CodeMap): Pausing<Inconsistency[]> {
  const removed = new Map<string, string>()
  for (const [path, before] of map.before)
    for (const { name } of before?.exports ?? [])
      if (name.length >= MIN_NAME && name !== "default") removed.set(name, path)
  for (const { exports = [], symbols = [] } of removed.size === 0 ? [] : map.files.values()) {
    yield
    for (const { name } of [...exports, ...symbols]) removed.delete(name.slice(name.lastIndexOf(".") + 1))
  }
  const found: Inconsistency[] = []
  for (const { path: file, comments = [] } of removed.size === 0 ? [] : map.files.values()) {
    yield
    for (const { line, text } of comments)
      for (const { 1: quoted, 2: called } of text.matchAll(NAME_IN_COMMENT)) {
        const name = quoted ?? called ?? ""
        const from = removed.get(name)
        const what = `the comment names ${name}, which was removed from ${from}`
        if (from !== undefined) found.push({ file, line, kind: "symbol", what })
      }
  }
  return found
}

/** Finds imports of files that do not exist. Skips tests, examples, bundles, and files that a build creates. */
function* missingImports(dir: string, map: CodeMap, { unresolved }: ImportGraph): Pausing<Unresolved[]> {
  if (unresolved.length === 0) return []
  const isIgnored = ignoreTest(dir)
  // An import may omit an extension that the resolver does not know: `./cup` for `cup.coffee`.
  const stems = new Set<string>()
  const folders = new Set<string>()
  for (const path of map.listed) {
    yield
    stems.add(path).add(path.replace(/\.[^./]+$/, ""))
    for (const part of path.split("/").slice(0, -1)) folders.add(part)
  }
  const isGenerated = generatedFolders(folders, unresolved)
  const missing: Unresolved[] = []
  for (const each of unresolved) {
    yield
    const { from, spec } = each
    // Bundlers resolve the imports of Vue and Svelte files. A large file is probably a bundle, so its imports need not exist.
    const isBundled = isComponent(from) || (map.files.get(from)?.bytes ?? 0) > BUNDLE_BYTES
    if (isBundled || NOT_CHECKED.test(from) || GENERATED_IMPORT.test(spec)) continue
    const path = join(dirname(from), spec.replace(/[?#].*$/, ""))
    // A path in `src/lib/a.ts` may be relative to the built file, `lib/a.js`.
    const whenBuilt = join(dirname(from.replace(/(^|\/)src\//, "$1")), spec)
    if (spec.startsWith(".")) {
      if (stems.has(path) || stems.has(whenBuilt) || isGenerated(path)) continue
      if (possibleFiles(path, /\.[cm]?tsx?$/.test(from)).some(isIgnored)) continue
    }
    missing.push(each)
  }
  return missing
}

/** Returns a test for paths in a missing folder from which several files import: a build probably creates that folder. */
function generatedFolders(folders: ReadonlySet<string>, unresolved: readonly Unresolved[]) {
  const importers = new Map<string, Set<string>>()
  for (const { from, spec } of unresolved)
    for (const part of spec.split("/").slice(0, -1))
      if (!folders.has(part)) importers.set(part, (importers.get(part) ?? new Set()).add(from))
  return (path: string) => path.split("/").some((part) => (importers.get(part)?.size ?? 0) >= SEVERAL)
}

/** The files that an import may mean. In TypeScript `./a.js` means `a.ts`, so `a.js` itself is left out. */
function possibleFiles(path: string, isTypeScript: boolean): string[] {
  const stem = path.replace(/\.[cm]?jsx?$/, "")
  const sources = [".ts", ".tsx", ".json"].map((extension) => stem + extension)
  return stem !== path && isTypeScript ? sources : [path, `${path}/`, ...sources]
}

const GENERATED_FILE = /(?:^|\/)_?generated\/|\.(?:gen|generated)\.\w+$/
const GENERATED_IMPORT =
  /(?:^|\/)(?:dist|build|out|lib|generated|_generated|node_modules|\.\w[\w-]*|\$types|\+types)(?:\/|$)|\.(?:gen|generated|output)(?:\.\w+)?$/
// Imports in these files are not checked: they may be wrong on purpose, mocked, or valid only after files are copied.
const NOT_CHECKED =
  /(?:^|\/)(?:templates?|tests?|specs?|e2e|playgrounds?|samples?|examples?|snapshots?|__\w+__|(?:[\w-]*-)?fixtures?|test[-_]?(?:data|files|cases))\/|\.(?:test|spec)\.\w+$/i
const NAME_IN_COMMENT = /[`{](?:@link\s+)?([A-Za-z_$][\w$]*)(?:\(\))?[`}]|\b([A-Za-z_$][\w$]*)\(\)/g
const MIN_NAME = 4
const BUNDLE_BYTES = 100_000
const SEVERAL = 3
