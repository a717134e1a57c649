import type { CommandPurpose, PackageManager, ProjectCommand } from "../../../schemas/project-map.ts"

/** What a manifest (`package.json`, `Cargo.toml` …) says about the part of the project that it stands for. */
export interface Manifest {
  path: string
  ecosystem: Ecosystem
  name: string | null
  dependencies: Dependency[]
  managers: PackageManager[]
  commands: ProjectCommand[]
  /** Globs of the folders that belong to it as packages. */
  members: string[]
}

export type Ecosystem =
  | "npm"
  | "python"
  | "rust"
  | "go"
  | "jvm"
  | "ruby"
  | "php"
  | "dotnet"
  | "dart"
  | "elixir"
  | "c"

export interface Dependency {
  name: string
  version: string | null
  line: number
  /** The file that names it, if that is another one than the manifest. */
  path?: string
}

export function emptyManifest(path: string, ecosystem: Ecosystem): Manifest {
  return { path, ecosystem, name: null, dependencies: [], managers: [], commands: [], members: [] }
}

/** Where that can be read. */
export function placeOf({ path }: Pick<Manifest, "path">, dependency: Dependency): string {
  return `${dependency.path ?? path}:${dependency.line}`
}

/** A manifest's lines. No line that a person has written is longer; patterns are not tried on what is. */
export function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.slice(0, MAX_LINE_CHARS))
}

const MAX_LINE_CHARS = 2000

/** What a script, target or recipe of that name is for; undefined where its name says nothing. */
export function purposeOf(name: string): CommandPurpose | undefined {
  const [, base = name] = PARTED.exec(name.toLowerCase()) ?? []
  return PURPOSES.get(name.toLowerCase()) ?? PURPOSES.get(base)
}

// `lint:js`, `typecheck-packages`: a part of it, for where there is no whole.
const PARTED = /^(test|lint|typecheck|build)[:_-](all|packages|ci|unit|js|ts|src|code)$/

const PURPOSES = new Map<string, CommandPurpose>([
  ["test", "test"],
  ["tests", "test"],
  ["unittest", "test"],
  ["lint", "lint"],
  ["lint:check", "lint"],
  ["typecheck", "typecheck"],
  ["type-check", "typecheck"],
  ["types", "typecheck"],
  ["check:types", "typecheck"],
  ["check-types", "typecheck"],
  ["tsc", "typecheck"],
  ["format", "format"],
  ["fmt", "format"],
  ["build", "build"],
  ["compile", "build"],
  ["check", "check"],
  ["verify", "check"],
  ["validate", "check"],
  ["quality", "check"],
  ["ci", "check"],
  ["start", "start"],
  ["dev", "start"],
  ["serve", "start"],
])
