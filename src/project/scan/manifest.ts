import { type ParseError, parse as parseJsonc } from "jsonc-parser"
import { parse as parseToml, TomlError } from "smol-toml"
import type { CommandPurpose, PackageManager, ProjectCommand } from "../../schemas/project-map.ts"
import { jsonFault } from "../../shared/text/json-fault.ts"
import { folderOf } from "../project-path.ts"
import type { ScannedFiles } from "./scanned-files.ts"

/** Facts about a package of the project from its manifest (`package.json`, `Cargo.toml` …). */
export interface Manifest {
  path: string
  ecosystem: Ecosystem
  name: string | null
  dependencies: Dependency[]
  managers: PackageManager[]
  commands: ProjectCommand[]
  /** Globs of the folders that are packages of this workspace. */
  members: string[]
}

export type Ecosystem = "npm" | "python" | "rust" | "go" | "jvm" | "ruby" | "php" | "dotnet"

export interface Dependency {
  name: string
  version: string | null
  line: number
  /** The file that lists the dependency, if that is not the manifest. */
  path?: string
}

export function evidenceOf({ path }: Pick<Manifest, "path">, dependency: Dependency): string {
  return `${dependency.path ?? path}:${dependency.line}`
}

/** Returns a function that makes commands which are usual but not declared, such as `cargo test`, if the tool is used. */
export function usualCommands(manifest: string) {
  const folder = folderOf(manifest)
  return (purpose: CommandPurpose, command: string, evidence: string | undefined): ProjectCommand[] =>
    evidence === undefined ? [] : [{ purpose, command, folder, evidence, declared: false }]
}

export function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.slice(0, MAX_LINE_CHARS))
}

export type Table = Record<string, unknown>

export function readToml(files: ScannedFiles, path: string): Table | undefined {
  try {
    return parseToml(files.text(path) ?? "")
  } catch (error) {
    const line = error instanceof TomlError ? ` in line ${error.line}` : ""
    files.note(`${path}: broken TOML${line}, not read`)
    return undefined
  }
}

/** Parses a JSON file with comments. A broken one is read as far as possible, and noted. */
export function readJson(files: ScannedFiles, path: string): Table | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const errors: ParseError[] = []
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true })
  const fault = jsonFault(text, errors)
  if (fault !== undefined) files.note(`${path}: broken JSON in ${fault}`)
  return tableIn(value)
}

/** The object at a path of keys; an empty one if there is none. */
export function tableIn(value: unknown, ...keys: string[]): Table {
  const found = keys.reduce<unknown>((table, key) => (isTable(table) ? table[key] : undefined), value)
  return isTable(found) ? found : {}
}

export function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
}

export function dependenciesIn(table: Table, lineOf: (name: string) => number): Dependency[] {
  return Object.entries(table).map(([name, value]) => {
    const version = typeof value === "string" ? value : tableIn(value)["version"]
    return { name, version: typeof version === "string" ? version : null, line: lineOf(name) }
  })
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Finds the lines of names below a section's heading. Names must be asked for in the order of the file. */
export function lineFinder(text: string, section: RegExp): (name: string) => number {
  const lower = text.toLowerCase()
  let at = Math.max(0, text.search(new RegExp(section.source, "m")))
  let line = text.slice(0, at).split("\n").length
  let misses = 0
  return (name) => {
    const wanted = name.toLowerCase()
    const isWordAt = (found: number) =>
      !/[\w-]/.test(lower[found - 1] ?? " ") && !/[\w-]/.test(lower[found + wanted.length] ?? " ")
    let found = misses < MAX_MISSES ? lower.indexOf(wanted, at) : -1
    while (found >= 0 && !isWordAt(found)) found = lower.indexOf(wanted, found + 1)
    if (found < 0) misses++
    else {
      line += text.slice(at, found).split("\n").length - 1
      at = found
    }
    return line
  }
}

export function purposeOf(name: string): CommandPurpose | undefined {
  const [, base = name] = WITH_SUFFIX.exec(name.toLowerCase()) ?? []
  return PURPOSES.get(name.toLowerCase()) ?? PURPOSES.get(base)
}

// Names such as `lint:js` and `typecheck-packages` have the purpose of the part before the separator.
const WITH_SUFFIX = /^(test|lint|typecheck|build)[:_-](all|packages|ci|unit|js|ts|src|code)$/
const PURPOSES = new Map(
  Object.entries({
    test: "test tests unittest",
    lint: "lint lint:check",
    typecheck: "typecheck type-check types check:types check-types tsc",
    format: "format fmt",
    build: "build compile",
    check: "check verify validate quality ci",
    start: "start dev serve",
  } satisfies Record<CommandPurpose, string>).flatMap(([purpose, names]) =>
    names.split(" ").map((name) => [name, purpose as CommandPurpose] as const),
  ),
)
const MAX_MISSES = 20
const MAX_LINE_CHARS = 2000
