import type { ProjectCommand } from "../../schemas/project-map.ts"
import { folderOf, nameOf } from "../project-path.ts"
import {
  type Dependency,
  type Ecosystem,
  lineFinder,
  linesOf,
  type Manifest,
  purposeOf,
  readJson,
  tableIn,
  usualCommands,
} from "./manifest.ts"
import { besideOf, type ScannedFiles } from "./scanned-files.ts"

/** The kinds of manifests that are matched line by line instead of parsed. */
const KINDS: Kind[] = [
  {
    file: /^go\.mod$/,
    ecosystem: "go",
    manager: "go",
    name: /^module\s+(\S+)/m,
    version: /^go\s+([\d.]+)/m,
    // Skips indirect dependencies, and lines with `=>`, which replace a dependency.
    dependency: /^(?:\s+|require\s+)([\w.-]+\.[\w.-]+(?:\/\S+)?)\s+(v\S+)(?!.*(?:\/\/ indirect|=>))/,
    usual: [
      ["test", "go test ./..."],
      ["build", "go build ./..."],
      ["lint", "golangci-lint run", [".golangci.yml", ".golangci.yaml", ".golangci.toml"]],
    ],
  },
  {
    file: /^build\.gradle(\.kts)?$/,
    ecosystem: "jvm",
    manager: "gradle",
    wrapper: "gradlew",
    dependency: /["']([\w.-]+:[\w.-]+)(?::([^"'@$]+))?(?:@\w+)?["']/,
    plugin: /\bid\s*\(?\s*["']([\w.-]+)["']\s*\)?(?:\s*version\s*\(?\s*["']([^"']+)["'])?/,
    usual: [
      ["test", "gradle test"],
      ["build", "gradle build"],
    ],
  },
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
    file: /\.(cs|fs|vb)proj$/,
    ecosystem: "dotnet",
    manager: "nuget",
    dependency: /<PackageReference\s+Include="([^"]+)"(?:\s+Version="([^"]+)")?/,
    usual: [
      ["test", "dotnet test"],
      ["build", "dotnet build"],
    ],
  },
]

interface Kind {
  file: RegExp
  ecosystem: Ecosystem
  manager: string
  name?: RegExp
  version?: RegExp
  /** A script that replaces the manager's command if it is next to the manifest. */
  wrapper?: string
  dependency: RegExp
  /** Matches plugins, which are listed as dependencies `plugin:<id>`. */
  plugin?: RegExp
  /** The commands that are usual for this kind. With `needs`, one of those files must be next to the manifest. */
  usual: [purpose: ProjectCommand["purpose"], command: string, needs?: string[]][]
}

export function isLineManifest(name: string): boolean {
  return KINDS.some(({ file }) => file.test(name))
}

export function readLineManifest(files: ScannedFiles, path: string): Manifest | undefined {
  const kind = KINDS.find(({ file }) => file.test(nameOf(path)))
  const text = kind === undefined ? undefined : files.text(path)
  if (kind === undefined || text === undefined) return undefined
  const wrapper = kind.wrapper === undefined ? undefined : besideOf(files, path, [kind.wrapper])
  const usualOf = usualCommands(path)
  return {
    path,
    ecosystem: kind.ecosystem,
    name: kind.name?.exec(text)?.[1] ?? null,
    dependencies: linesOf(text).flatMap((line, index) => dependencyIn(kind, line, index + 1)),
    managers: [{ name: kind.manager, version: kind.version?.exec(text)?.[1] ?? null, evidence: path }],
    commands: [
      ...kind.usual.flatMap(([purpose, usual, needs]) => {
        const evidence = needs === undefined ? (wrapper ?? path) : besideOf(files, path, needs)
        const command = wrapper === undefined ? usual : usual.replace(kind.manager, `./${kind.wrapper}`)
        return usualOf(purpose, command, evidence)
      }),
      ...composerScripts(files, path, text),
    ],
    members: [],
  }
}

function dependencyIn({ dependency, plugin }: Kind, text: string, line: number): Dependency[] {
  const [, id, release] = plugin?.exec(text) ?? []
  if (id !== undefined) return [{ name: `plugin:${id}`, version: release ?? null, line }]
  const [, name, version] = dependency.exec(text) ?? []
  return name === undefined ? [] : [{ name, version: version ?? null, line }]
}

function composerScripts(files: ScannedFiles, path: string, text: string): ProjectCommand[] {
  if (nameOf(path) !== "composer.json") return []
  const lineOf = lineFinder(text, /"scripts"/)
  return Object.keys(tableIn(readJson(files, path), "scripts")).flatMap((script) => {
    const purpose = purposeOf(script)
    const evidence = `${path}:${lineOf(script)}`
    if (purpose === undefined) return []
    return [{ purpose, command: `composer ${script}`, folder: folderOf(path), evidence, declared: true }]
  })
}

export function readMaven(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const wrapper = besideOf(files, path, ["mvnw"])
  const run = wrapper === undefined ? "mvn" : "./mvnw"
  const usual = usualCommands(path)
  // Skips the `<parent>` block, which has the parent's `<artifactId>`.
  const own = text.slice(Math.max(0, text.indexOf("</parent>")))
  return {
    path,
    ecosystem: "jvm",
    name: TAGS.artifactId.exec(own)?.[1]?.trim() ?? null,
    dependencies: dependenciesOf(text),
    managers: [{ name: "maven", version: null, evidence: path }],
    commands: [
      ...usual("test", `${run} test`, wrapper ?? path),
      ...usual("build", `${run} package`, wrapper ?? path),
    ],
    members: [],
  }
}

function dependenciesOf(text: string): Dependency[] {
  const properties = new Map(
    [...text.matchAll(/<([\w.-]+)>([^<>\s]+)<\/\1>/g)].map(([, name = "", value = ""]) => [name, value]),
  )
  const found: Dependency[] = []
  let line = 1
  // Splits at opening tags only: a pattern for pairs of tags would be slow if a closing tag is missing.
  for (const [index, block] of text.split(/<(?:parent|dependency|plugin)>/).entries()) {
    const field = (tag: keyof typeof TAGS) => TAGS[tag].exec(block)?.[1]?.trim()
    const artifact = index === 0 ? undefined : field("artifactId")
    if (artifact !== undefined) {
      const version = field("version")
      const property = /^\$\{(.+)\}$/.exec(version ?? "")?.[1]
      const resolved = property === undefined ? version : properties.get(property)
      found.push({ name: `${field("groupId") ?? ""}:${artifact}`, version: resolved ?? null, line })
    }
    line += block.split("\n").length - 1
  }
  return found
}

const TAGS = {
  groupId: /<groupId>([^<]*)<\/groupId>/,
  artifactId: /<artifactId>([^<]*)<\/artifactId>/,
  version: /<version>([^<]*)<\/version>/,
}
