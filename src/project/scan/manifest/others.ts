import type { ProjectCommand } from "../../../schemas/project-map.ts"
import { folderOf, inFolder, nameOf, type ScannedFiles } from "../listing/scanned-files.ts"
import { readJson } from "./located-json.ts"
import {
  type Dependency,
  type Ecosystem,
  emptyManifest,
  linesOf,
  type Manifest,
  purposeOf,
} from "./manifest.ts"

/** Manifests of which a pattern per line says enough. */
export function readOther(files: ScannedFiles, path: string): Manifest | undefined {
  const kind = KINDS.find(({ file }) => file.test(nameOf(path)))
  const text = kind === undefined ? undefined : files.text(path)
  if (kind === undefined || text === undefined) return undefined
  const folder = folderOf(path)
  const lines = linesOf(text)
  const usual = kind.usual.map(([purpose, command, needs]): ProjectCommand[] =>
    needs === undefined || needs.some((each) => files.has(inFolder(folder, each)))
      ? [{ purpose, command, folder, evidence: path, declared: false }]
      : [],
  )
  return {
    ...emptyManifest(path, kind.ecosystem),
    name: kind.name?.exec(text)?.[1] ?? null,
    dependencies: lines.flatMap((line, index): Dependency[] => {
      const found = kind.dependency?.exec(line)
      return found == null ? [] : [{ name: found[1] ?? "", version: found[2] ?? null, line: index + 1 }]
    }),
    managers: [{ name: kind.manager, version: null, evidence: path }],
    commands: [...usual.flat(), ...composerScripts(path, text, folder)],
  }
}

export function isOtherManifest(name: string): boolean {
  return KINDS.some(({ file }) => file.test(name))
}

function composerScripts(path: string, text: string, folder: string): ProjectCommand[] {
  if (nameOf(path) !== "composer.json") return []
  return readJson(text)
    .entries("scripts")
    .flatMap(({ key, line }) => {
      const purpose = purposeOf(key)
      if (purpose === undefined) return []
      return { purpose, command: `composer ${key}`, folder, evidence: `${path}:${line}`, declared: true }
    })
}

interface Kind {
  file: RegExp
  ecosystem: Ecosystem
  manager: string
  name?: RegExp
  dependency?: RegExp
  /** What it is run with; where something must be beside the manifest for that, what. */
  usual: [purpose: ProjectCommand["purpose"], command: string, needs?: string[]][]
}

const KINDS: Kind[] = [
  {
    file: /^Gemfile$/,
    ecosystem: "ruby",
    manager: "bundler",
    dependency: /^\s*gem\s+["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/,
    usual: [
      ["test", "bundle exec rspec", ["spec"]],
      ["test", "bundle exec rake test", ["test"]],
      ["lint", "bundle exec rubocop", [".rubocop.yml"]],
    ],
  },
  {
    file: /^composer\.json$/,
    ecosystem: "php",
    manager: "composer",
    name: /"name"\s*:\s*"([^"]+)"/,
    dependency: /^\s*"([a-z0-9_.-]+\/[a-z0-9_.-]+)"\s*:\s*"([^"]+)"/,
    usual: [["test", "vendor/bin/phpunit", ["phpunit.xml", "phpunit.xml.dist"]]],
  },
  {
    file: /^mix\.exs$/,
    ecosystem: "elixir",
    manager: "mix",
    name: /\bapp:\s*:(\w+)/,
    dependency: /\{:(\w+)\s*,\s*"([^"]+)"/,
    usual: [
      ["test", "mix test"],
      ["build", "mix compile"],
    ],
  },
  {
    file: /^pubspec\.yaml$/,
    ecosystem: "dart",
    manager: "pub",
    name: /^name:\s*(\S+)/m,
    dependency: /^ {2}([a-z_0-9]+):\s*(?:["']?([\^<>=\d][^"'#]*))?$/,
    usual: [["test", "dart test", ["test"]]],
  },
  {
    file: /\.(cs|fs|vb)proj$/,
    ecosystem: "dotnet",
    manager: "nuget",
    dependency: /<PackageReference\s+Include="([^"]+)"(?:\s+Version="([^"]+)")?/,
    usual: [
      ["test", "dotnet test"],
      ["build", "dotnet build"],
    ],
  },
  {
    file: /^CMakeLists\.txt$/,
    ecosystem: "c",
    manager: "cmake",
    name: /\bproject\s*\(\s*([\w-]+)/i,
    dependency: /^\s*find_package\s*\(\s*(\w+)(?:\s+([\d.]+))?/i,
    usual: [
      ["build", "cmake -B build && cmake --build build"],
      ["test", "ctest --test-dir build", ["tests", "test"]],
    ],
  },
]
