import { dirname, join } from "node:path/posix"
import type { Pausing } from "../../shared/slices.ts"
import { type IgnoreRules, NO_RULES, rulesIn } from "../files/ignore-rules.ts"
import { readProjectFile } from "../files/read-file.ts"
import type { CodeMap } from "./code-map.ts"
import type { ImportGraph, Unresolved } from "./graph/edges.ts"
import { isComponent } from "./source/component.ts"

/** Imports that lead nowhere, without those that nobody has to mend: what is made later, examples, whole programs in a file. */
export function* missingImports(dir: string, map: CodeMap, graph: ImportGraph): Pausing<Unresolved[]> {
  if (graph.unresolved.length === 0) return []
  const isIgnored = ignoredBy(dir)
  // A file of another kind may stand for it: `./cup` for `cup.coffee`.
  const stems = new Set<string>()
  const listed = new Set<string>()
  const folders = new Set<string>()
  for (const path of map.listed) {
    yield
    listed.add(path)
    stems.add(path.replace(/\.[^./]+$/, ""))
    for (const part of path.split("/").slice(0, -1)) folders.add(part)
  }
  const missingIn = new Map<string, number>()
  for (const { from } of graph.unresolved) missingIn.set(from, (missingIn.get(from) ?? 0) + 1)
  const isMade = madeFolders(folders, graph.unresolved)
  const missing: Unresolved[] = []
  for (const each of graph.unresolved) {
    yield
    if (
      MADE.test(each.spec) ||
      // Its compiler and its bundler have ways of their own.
      isComponent(each.from) ||
      isExample(each.from, missingIn.get(each.from) ?? 0, graph) ||
      isBundled(each, missingIn.get(each.from) ?? 0, map, graph)
    )
      continue
    const place = join(dirname(each.from), each.spec.replace(/[?#].*$/, ""))
    if (
      each.spec.startsWith(".") &&
      (isIgnored(place, /\.[cm]?tsx?$/.test(each.from)) ||
        stems.has(place) ||
        isMade(place) ||
        listed.has(whenBuilt(each)))
    )
      continue
    if (isTest(each.from) && (ON_PURPOSE.test(each.spec) || isMocked(dir, each))) continue
    missing.push(each)
  }
  return missing
}

/** A folder that is nowhere, and that several files ask for: something makes it. */
function madeFolders(
  folders: ReadonlySet<string>,
  unresolved: readonly Unresolved[],
): (place: string) => boolean {
  const asked = new Map<string, Set<string>>()
  for (const { from, spec } of unresolved)
    for (const part of spec.split("/").slice(0, -1))
      if (!folders.has(part)) asked.set(part, (asked.get(part) ?? new Set()).add(from))
  return (place) => place.split("/").some((part) => (asked.get(part)?.size ?? 0) >= SEVERAL)
}

/** From `src/lib/a.ts`, what `lib/a.js` asks for: a file that is no code stays where it is. */
function whenBuilt({ from, spec }: Unresolved): string {
  return join(dirname(from.replace(/(^|\/)src\//, "$1")), spec)
}

/** `jest.mock("./a", …)` in a test stands in for a file that need not be. */
function isMocked(dir: string, { from, spec }: Unresolved): boolean {
  const found = readProjectFile(dir, from, MAX_BYTES)
  if (!("text" in found)) return false
  return [...found.text.matchAll(/[mM]ock\w*\(\s*["'`]([^"'`\n]+)["'`]/g)].some(([, name]) => name === spec)
}

function isTest(path: string): boolean {
  return GIVEN.test(path) || /\.(?:test|spec)\.\w+$/.test(path)
}

/** What stands in a fixture is often wrong on purpose; what a test is given has more that leads nowhere than not. */
function isExample(from: string, missing: number, { dependencies }: ImportGraph): boolean {
  return FIXTURE.test(from) || (GIVEN.test(from) && missing > (dependencies.get(from)?.length ?? 0))
}

/** Modules that were packed into one file still ask for each other by their old names. */
function isBundled(
  { from, kind }: Unresolved,
  missing: number,
  { files }: CodeMap,
  { dependencies }: ImportGraph,
): boolean {
  const isLarge = (files.get(from)?.bytes ?? 0) > BUNDLE_BYTES
  return kind === "require" && (isLarge || missing >= BUNDLE_MODULES) && !dependencies.has(from)
}

/** Whether git would leave out a file of that name: then something makes it. */
function ignoredBy(dir: string): (path: string, isTypeScript: boolean) => boolean {
  const rulesOf = new Map<string, IgnoreRules>()

  function rulesFor(folder: string): IgnoreRules {
    const known = rulesOf.get(folder)
    if (known !== undefined) return known
    const above = folder === "" ? NO_RULES : rulesFor(parentOf(folder))
    const rules = rulesIn(dir, folder, above)
    rulesOf.set(folder, rules)
    return rules
  }

  function isFolderIgnored(folder: string): boolean {
    if (folder === "") return false
    const parent = parentOf(folder)
    return isFolderIgnored(parent) || rulesFor(parent).ignores(folder, true)
  }

  return (path, isTypeScript) => {
    const folder = parentOf(path)
    const isScript = /\.[cm]?jsx?$/.test(path)
    // In TypeScript `./a.js` is written for `a.ts`: that the compiler's own output is ignored says nothing of it.
    const stem = isScript ? path.replace(/\.[cm]?jsx?$/, "") : path
    const names = [...(isScript && isTypeScript ? [] : [path]), ...ENDINGS.map((ending) => stem + ending)]
    return (
      isFolderIgnored(folder) ||
      (!isScript && rulesFor(folder).ignores(path, true)) ||
      names.some((name) => rulesFor(folder).ignores(name, false))
    )
  }
}

function parentOf(path: string): string {
  const parent = dirname(path)
  return parent === "." ? "" : parent
}

const ENDINGS = [".ts", ".tsx", ".json"]
const MADE =
  /(?:^|\/)(?:dist|build|out|lib|generated|_generated|node_modules|\.\w[\w-]*|\$types|\+types)(?:\/|$)|\.(?:gen|generated|output)(?:\.\w+)?$/
// What stands in a template is put together with other files later.
const FIXTURE =
  /(?:^|\/)(?:templates?|__\w*fixtures__|(?:[\w-]*-)?fixtures?|test[-_]?(?:data|files|cases)|__testfixtures__|snapshots?)\/|(?:^|\/)tests?\/(?:[^/]+\/)*[\w-]*cases\//i
const GIVEN = /(?:^|\/)(?:tests?|specs?|__tests__|e2e|playgrounds?|samples?|examples?)\//i
const ON_PURPOSE = /(?:^|[/-])(?:does-?not-?exist|non-?exist\w*|missing|invalid|not-?found)(?:\.\w+)?$/i
const BUNDLE_BYTES = 100_000
const BUNDLE_MODULES = 5
const SEVERAL = 3
const MAX_BYTES = 256 << 10
