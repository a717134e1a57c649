import picomatch from "picomatch"
import {
  commandPurposes,
  type Framework,
  type PackageManager,
  type ProjectCommand,
  type ProjectMap,
} from "../../schemas/project-map.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { knownFramework } from "./known-frameworks.ts"
import { isLineManifest, readLineManifest, readMaven } from "./line-manifests.ts"
import {
  dependenciesIn,
  evidenceOf,
  lineFinder,
  type Manifest,
  readToml,
  stringsIn,
  tableIn,
  usualCommands,
} from "./manifest.ts"
import { readNpm } from "./npm.ts"
import { readPython } from "./python.ts"
import { runnerCommands } from "./runners.ts"
import { depthOf, folderOf, inFolder, isBeside, nameOf, type ScannedFiles } from "./scanned-files.ts"

export function* findTech(
  files: ScannedFiles,
): Pausing<Pick<ProjectMap, "frameworks" | "managers" | "packages" | "commands">> {
  const manifests = yield* findManifests(files)
  const isMember = membership(manifests)
  // A member of a workspace is run from the workspace; another package from its own folder.
  const own = manifests.filter((each) => !isMember(each) && depthOf(each.path) <= MAX_DEPTH)
  return {
    frameworks: yield* frameworksOf(manifests),
    managers: managersOf(own),
    packages: manifests.slice(0, MAX_PACKAGES).map(({ path, name, ecosystem }) => ({
      path: folderOf(path) || ".",
      name: name === null ? null : shorten(name, MAX_NAME),
      ecosystem,
    })),
    commands: bestCommands([...runnerCommands(files), ...own.flatMap((each) => each.commands)]),
  }
}

/** Each framework once, from the manifest nearest to the top. */
function* frameworksOf(manifests: readonly Manifest[]): Pausing<Framework[]> {
  const found = new Map<string, Framework>()
  for (const manifest of manifests) {
    yield
    for (const dependency of manifest.dependencies) {
      const known = knownFramework(manifest.ecosystem, dependency.name)
      if (known === undefined) continue
      const before = found.get(known.name)
      // A manifest that names the catalog of the workspace has no version; another one may.
      const version = versionIn(dependency.version)
      if (before !== undefined && (before.version !== null || version === null)) continue
      found.set(known.name, {
        ...known,
        version,
        evidence: evidenceOf(manifest, dependency),
      })
    }
  }
  return [...found.values()].sort((a, b) => kindOrder(a) - kindOrder(b))
}

/** Languages first, tools for checking last. */
function kindOrder({ kind }: Framework): number {
  const place = LAST_KINDS.indexOf(kind)
  return kind === "language" ? -1 : place < 0 ? 0 : place + 1
}

/** Shortened: a manifest is outside text, and the model reads this. */
function versionIn(text: string | null): string | null {
  if (text === null || /^(workspace|catalog|file|link|portal):|^\*?$/.test(text)) return null
  return shorten(text, MAX_VERSION)
}

function managersOf(manifests: readonly Manifest[]): PackageManager[] {
  const all = manifests.flatMap(({ managers }) => managers)
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at)
}

/** At most two for each folder and purpose: declared commands, else usual ones. */
function bestCommands(commands: readonly ProjectCommand[]): ProjectCommand[] {
  const groups = new Map<string, ProjectCommand[]>()
  for (const command of commands) {
    const key = `${command.folder}\n${command.purpose}`
    groups.set(key, [...(groups.get(key) ?? []), command])
  }
  const chosen = [...groups.values()].flatMap((group) => {
    const declared = group.filter((each) => each.declared)
    // The shorter name is the whole: `test:unit` is a part of `test`.
    if (declared.length > 0) declared.sort((a, b) => a.command.length - b.command.length)
    return (declared.length > 0 ? declared : oncePerTool(group)).slice(0, MAX_ALIKE)
  })
  const order = (each: ProjectCommand) => commandPurposes.indexOf(each.purpose)
  return chosen.sort((a, b) => a.folder.localeCompare(b.folder) || order(a) - order(b)).slice(0, MAX_COMMANDS)
}

function oncePerTool(commands: readonly ProjectCommand[]): ProjectCommand[] {
  const toolOf = ({ command }: ProjectCommand) => command.split(" ", 1)[0]
  return commands.filter((each, at) => commands.findIndex((other) => toolOf(other) === toolOf(each)) === at)
}

const LAST_KINDS = ["build", "monorepo", "tests", "types", "benchmarks", "lint", "format", "documents"]
const MAX_VERSION = 40
const MAX_NAME = 80
const MAX_DEPTH = 2
const MAX_PACKAGES = 200
const MAX_COMMANDS = 60
const MAX_ALIKE = 2

/** The project's manifests, those nearest to the top first; not those of examples, tests and vendored code. */
function* findManifests(files: ScannedFiles): Pausing<Manifest[]> {
  const paths: string[] = []
  for (const [count, path] of files.paths.entries()) {
    if (count % PAUSE_EVERY === 0) yield
    if (readerOf(files, path) !== undefined && !isBeside(path)) paths.push(path)
  }
  paths.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  const left = paths.length - MAX_MANIFESTS
  if (left > 0) files.note(`${left} manifests not read: only the ${MAX_MANIFESTS} nearest to the top are`)
  const found: Manifest[] = []
  for (const path of paths.slice(0, MAX_MANIFESTS)) {
    yield
    const manifest = readerOf(files, path)?.(files, path)
    if (manifest !== undefined) found.push(manifest)
  }
  return found
}

/** Whether another manifest counts this one as a part of its project. */
function membership(manifests: readonly Manifest[]): (manifest: Manifest) => boolean {
  const rules = manifests
    .filter(({ members }) => members.length > 0)
    .map(({ path, ecosystem, members }) => {
      const globs = members
        .filter((each) => each.length <= MAX_GLOB_CHARS)
        .map((each) => inFolder(folderOf(path), each.replace(/^\.\//, "").replace(/\/+$/, "")))
      const ignore = globs.filter((each) => each.includes("!")).map((each) => each.replaceAll("!", ""))
      const isMember = picomatch(
        globs.filter((each) => !each.includes("!")),
        { ignore },
      )
      return { path, ecosystem, isMember }
    })
  // A Maven or Gradle build below another one is its module.
  const builds = manifests.filter(({ ecosystem }) => ecosystem === "jvm").map(({ path }) => folderOf(path))
  return ({ path, ecosystem }) => {
    const folder = folderOf(path)
    if (ecosystem === "jvm")
      return builds.some((above) => above !== folder && (above === "" || folder.startsWith(`${above}/`)))
    return rules.some((rule) => rule.path !== path && rule.ecosystem === ecosystem && rule.isMember(folder))
  }
}

type Reader = (files: ScannedFiles, path: string) => Manifest | undefined

function readerOf(files: ScannedFiles, path: string): Reader | undefined {
  const name = nameOf(path)
  if (Object.hasOwn(READERS, name)) return READERS[name]
  // Several files may describe one Python project: the first of the list is read.
  const isFirst = () => name === PYTHON.find((each) => files.has(inFolder(folderOf(path), each)))
  if (PYTHON.includes(name) && isFirst()) return readPython
  return isLineManifest(name) ? readLineManifest : undefined
}

const PYTHON = ["pyproject.toml", "setup.py", "requirements.txt", "Pipfile"]
const READERS: Readonly<Record<string, Reader>> = {
  "package.json": readNpm,
  "Cargo.toml": readCargo,
  "pom.xml": readMaven,
}
const MAX_MANIFESTS = 300
const MAX_GLOB_CHARS = 200
const PAUSE_EVERY = 500

function readCargo(files: ScannedFiles, path: string): Manifest | undefined {
  const toml = readToml(files, path)
  if (toml === undefined) return undefined
  const folder = folderOf(path)
  const text = files.text(path) ?? ""
  const tables = [toml, tableIn(toml, "workspace"), ...Object.values(tableIn(toml, "target"))]
  const usual = usualCommands(folder, path)
  const members = stringsIn(tableIn(toml, "workspace")["members"])
  const all = members.length === 0 ? "" : " --workspace"
  const beside = (...names: string[]) => names.map((each) => inFolder(folder, each)).find(files.has)
  const [clippy, rustfmt] = [beside("clippy.toml", ".clippy.toml"), beside("rustfmt.toml", ".rustfmt.toml")]
  const { name } = tableIn(toml, "package")
  return {
    path,
    ecosystem: "rust",
    name: typeof name === "string" ? name : null,
    dependencies: tables.flatMap((table) =>
      ["dependencies", "dev-dependencies", "build-dependencies"].flatMap((key) =>
        dependenciesIn(tableIn(table, key), lineFinder(text, new RegExp(`^\\[.*\\b(?<!-)${key}\\b`))),
      ),
    ),
    managers: [{ name: "cargo", version: null, evidence: path }],
    commands: [
      ...usual("test", `cargo test${all}`),
      ...usual("build", `cargo build${all}`),
      ...(clippy === undefined ? [] : usual("lint", `cargo clippy${all}`, clippy)),
      ...(rustfmt === undefined ? [] : usual("format", "cargo fmt", rustfmt)),
    ],
    members,
  }
}
