import { dirname, join } from "node:path/posix"
import type { MappedFile } from "../../schemas/codemap.ts"
import type { Pausing } from "../../shared/slices.ts"
import type { CodeMap } from "./code-map.ts"
import type { ImportGraph } from "./graph/edges.ts"
import { missingImports } from "./missing-imports.ts"
import { asFile, findFile } from "./resolve/candidates.ts"
import type { FileTree } from "./resolve/file-tree.ts"
import { isComponent } from "./source/component.ts"
import { isScript } from "./source/languages.ts"
import { wordsInCode } from "./words-in-code.ts"

/** A place where what is written and what is there do not agree. */
export interface Inconsistency {
  file: string
  line: number
  kind: "parameter" | "symbol" | "import" | "module"
  what: string
}

/**
 * Documented parameters that do not exist, doc comments that name what is gone, imports that lead nowhere, comments that
 * claim a module which is not used. Only what is nearly certain: a list that nobody reads is of no use.
 */
export function* findInconsistencies(
  dir: string,
  map: CodeMap,
  graph: ImportGraph,
  tree: FileTree,
): Pausing<Inconsistency[]> {
  const found: Inconsistency[] = []
  for (const { from, line, spec } of yield* missingImports(dir, map, graph))
    found.push({ file: from, line, kind: "import", what: `"${spec}" leads to no file` })
  const unknown = yield* unknownNames(dir, map)
  for (const file of map.files.values()) {
    yield
    // Nobody mends what a program has written; of a component only a part is read.
    if (GENERATED.test(file.path) || isComponent(file.path)) continue
    for (const { kind, line, name, of } of file.claims ?? []) {
      if (kind === "param")
        found.push({
          file: file.path,
          line,
          kind: "parameter",
          what: `@param ${name}: ${of ?? "the function"} has no such parameter`,
        })
      else if (kind === "symbol" && unknown.has(name))
        found.push({
          file: file.path,
          line,
          kind: "symbol",
          what: `the comment names ${name}, which is nowhere in the code`,
        })
      else if (kind === "module" && isUnused(file, name, graph, tree))
        found.push({
          file: file.path,
          line,
          kind: "module",
          what: `the comment says that this uses ${name}, which is not imported`,
        })
    }
  }
  found.push(...(yield* namesOfRemoved(map)))
  const seen = new Set<string>()
  return found
    .filter(
      ({ file, line, what }) => !seen.has(`${file}:${line} ${what}`) && seen.add(`${file}:${line} ${what}`),
    )
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
}

/** Claimed names that no file declares and no code holds as a word. */
function* unknownNames(dir: string, map: CodeMap): Pausing<Set<string>> {
  const names = new Set<string>()
  for (const { claims = [] } of map.files.values())
    for (const { kind, name } of claims) if (kind === "symbol") names.add(name)
  for (const { exports = [], symbols = [] } of map.files.values()) {
    if (names.size === 0) break
    yield
    for (const { name } of [...exports, ...symbols]) names.delete(name.slice(name.lastIndexOf(".") + 1))
  }
  // A module may be meant, which is named by its file.
  for (const path of names.size > 0 ? map.listed : []) {
    yield
    names.delete(stemOf(path))
  }
  if (names.size > 0) yield* wordsInCode(dir, map.files, names)
  return names
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return name.includes(".") ? name.slice(0, name.indexOf(".")) : name
}

/** Comments that name an export which has gone since the last scan. */
function* namesOfRemoved(map: CodeMap): Pausing<Inconsistency[]> {
  const removed = new Map<string, string>()
  for (const [path, was] of map.before)
    for (const { name } of was?.exports ?? [])
      if (name.length >= MIN_NAME && name !== "default") removed.set(name, path)
  if (removed.size === 0) return []
  for (const { exports = [], symbols = [] } of map.files.values()) {
    yield
    for (const { name } of [...exports, ...symbols]) removed.delete(name)
  }
  const found: Inconsistency[] = []
  for (const { path, comments = [] } of map.files.values()) {
    yield
    for (const { line, text } of removed.size === 0 ? [] : comments)
      for (const { 1: quoted, 2: called } of text.matchAll(NAMED)) {
        const name = quoted ?? called ?? ""
        const from = removed.get(name)
        if (from !== undefined)
          found.push({
            file: path,
            line,
            kind: "symbol",
            what: `the comment names ${name}, which was removed from ${from}`,
          })
      }
  }
  return found
}

/** Known as a file or a package of the project, and not among the imports. */
function isUnused(
  { path, imports = [] }: MappedFile,
  name: string,
  { dependencies }: ImportGraph,
  tree: FileTree,
): boolean {
  if (!isScript(path) || imports.some(({ spec }) => spec === name || spec.startsWith(`${name}/`)))
    return false
  const targets = [join(dirname(path), name), name, join("src", name)]
  const file = targets
    .map((target) => (/[./]/.test(name) ? findFile(tree, target) : asFile(tree, target)))
    .find((each) => each !== undefined)
  if (file === undefined) return /^\.{1,2}\//.test(name)
  return file !== path && !(dependencies.get(path) ?? []).some(({ to }) => to === file)
}

const GENERATED = /(?:^|\/)_?generated\/|\.(?:gen|generated)\.\w+$/
const NAMED = /[`{](?:@link\s+)?([A-Za-z_$][\w$]*)(?:\(\))?[`}]|\b([A-Za-z_$][\w$]*)\(\)/g
const MIN_NAME = 4
