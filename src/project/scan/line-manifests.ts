import type { ProjectCommand } from "../../schemas/project-map.ts"
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
import { folderOf, inFolder, nameOf, type ScannedFiles } from "./scanned-files.ts"

/** Manifests that are read with a pattern for each line, without a parser. */
const KINDS: Kind[] = [
  {
    file: /^go\.mod$/,
    ecosystem: "go",
    manager: "go",
    name: /^module\s+(\S+)/m,
    version: /^go\s+([\d.]+)/m,
    // Indirect dependencies are those of others, and `=>` replaces one.
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
  /** Runs in place of the manager where it lies beside the manifest. */
  wrapper?: string
  dependency: RegExp
  /** Named `plugin:<id>` as a dependency. */
  plugin?: RegExp
  /** Usual commands; with the files of which one must lie beside the manifest. */
  usual: [purpose: ProjectCommand["purpose"], command: string, needs?: string[]][]
}

export function isLineManifest(name: string): boolean {
  return KINDS.some(({ file }) => file.test(name))
}

export function readLineManifest(files: ScannedFiles, path: string): Manifest | undefined {
  const kind = KINDS.find(({ file }) => file.test(nameOf(path)))
  const text = kind === undefined ? undefined : files.text(path)
  if (kind === undefined || text === undefined) return undefined
  const folder = folderOf(path)
  const besideOf = (names: string[]) => names.map((name) => inFolder(folder, name)).find(files.has)
  const wrapper = kind.wrapper === undefined ? undefined : besideOf([kind.wrapper])
  return {
    path,
    ecosystem: kind.ecosystem,
    name: kind.name?.exec(text)?.[1] ?? null,
    dependencies: linesOf(text).flatMap((line, index) => dependencyIn(kind, line, index + 1)),
    managers: [{ name: kind.manager, version: kind.version?.exec(text)?.[1] ?? null, evidence: path }],
    commands: [
      ...kind.usual.flatMap(([purpose, usual, needs]): ProjectCommand[] => {
        const evidence = needs === undefined ? (wrapper ?? path) : besideOf(needs)
        if (evidence === undefined) return []
        const command = wrapper === undefined ? usual : usual.replace(kind.manager, `./${kind.wrapper}`)
        return [{ purpose, command, folder, evidence, declared: false }]
      }),
      ...composerScripts(files, path, text, folder),
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

function composerScripts(files: ScannedFiles, path: string, text: string, folder: string): ProjectCommand[] {
  if (nameOf(path) !== "composer.json") return []
  const lineOf = lineFinder(text, /"scripts"/)
  return Object.keys(tableIn(readJson(files, path), "scripts")).flatMap((script) => {
    const purpose = purposeOf(script)
    const evidence = `${path}:${lineOf(script)}`
    if (purpose === undefined) return []
    return [{ purpose, command: `composer ${script}`, folder, evidence, declared: true }]
  })
}

export function readMaven(files: ScannedFiles, path: string): Manifest | undefined {
  const text = files.text(path)
  if (text === undefined) return undefined
  const wrapper = inFolder(folderOf(path), "mvnw")
  const hasWrapper = files.has(wrapper)
  const run = hasWrapper ? "./mvnw" : "mvn"
  const usual = usualCommands(folderOf(path), hasWrapper ? wrapper : path)
  // The parent's name comes first, in a block of its own.
  const own = text.slice(Math.max(0, text.indexOf("</parent>")))
  return {
    path,
    ecosystem: "jvm",
    name: TAGS.artifactId.exec(own)?.[1]?.trim() ?? null,
    dependencies: dependenciesOf(text),
    managers: [{ name: "maven", version: null, evidence: path }],
    commands: [...usual("test", `${run} test`), ...usual("build", `${run} package`)],
    members: [],
  }
}

function dependenciesOf(text: string): Dependency[] {
  const properties = new Map(
    [...text.matchAll(/<([\w.-]+)>([^<>\s]+)<\/\1>/g)].map(([, name = "", value = ""]) => [name, value]),
  )
  const found: Dependency[] = []
  let line = 1
  // Between two opening tags: a block that is never closed costs no more than one that is.
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
