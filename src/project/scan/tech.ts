import { join } from "node:path/posix"
import picomatch from "picomatch"
import {
  commandPurposes,
  type Framework,
  type PackageManager,
  type ProjectCommand,
} from "../../schemas/project-map.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { folderOf, nameOf } from "../project-path.ts"
import { knownFramework } from "./known-libraries.ts"
import { isLineManifest, readLineManifest, readMaven } from "./line-manifests.ts"
import { evidenceOf, type Manifest } from "./manifest.ts"
import { readCargo, readNpm, readPython } from "./parsed-manifests.ts"
import { runnerCommands } from "./runners.ts"
import { besideOf, depthOf, isBeside, type ScannedFiles } from "./scanned-files.ts"

export function* findTech(files: ScannedFiles) {
  const manifests = yield* findManifests(files)
  const isMember = membership(manifests)
  // Members of a workspace are built and tested from its root, other packages from their own folder.
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

function* frameworksOf(manifests: readonly Manifest[]): Pausing<Framework[]> {
  const found = new Map<string, Framework>()
  for (const manifest of manifests) {
    yield
    for (const dependency of manifest.dependencies) {
      const known = knownFramework(manifest.ecosystem, dependency.name)
      if (known === undefined) continue
      const before = found.get(known.name)
      // A manifest may name the workspace's catalog instead of a version. Another manifest may have the version.
      const version = versionIn(dependency.version)
      if (before !== undefined && (before.version !== null || version === null)) continue
      found.set(known.name, { ...known, version, evidence: evidenceOf(manifest, dependency) })
    }
  }
  return [...found.values()].sort((a, b) => kindOrder(a) - kindOrder(b))
}

function kindOrder({ kind }: Framework): number {
  const place = LAST_KINDS.indexOf(kind)
  return kind === "language" ? -1 : place < 0 ? 0 : place + 1
}

/** The version to show; null if the text is not a version. Shortened, as untrusted text that the model reads. */
function versionIn(text: string | null): string | null {
  if (text === null || /^(workspace|catalog|file|link|portal):|^\*?$/.test(text)) return null
  return shorten(text, MAX_VERSION)
}

function managersOf(manifests: readonly Manifest[]): PackageManager[] {
  const all = manifests.flatMap(({ managers }) => managers)
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at)
}

/** At most two commands per folder and purpose: declared ones if there are any, else usual ones. */
function bestCommands(commands: readonly ProjectCommand[]): ProjectCommand[] {
  const groups = new Map<string, ProjectCommand[]>()
  for (const command of commands) {
    const key = `${command.folder}\n${command.purpose}`
    groups.set(key, [...(groups.get(key) ?? []), command])
  }
  const chosen = [...groups.values()].flatMap((group) => {
    const declared = group.filter((each) => each.declared)
    // Shorter names first: `test` includes `test:unit`.
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

/** The project's manifests, without those of examples, tests and vendored code; the ones nearest to the root first. */
function* findManifests(files: ScannedFiles): Pausing<Manifest[]> {
  const paths: string[] = []
  for (const [count, path] of files.paths.entries()) {
    if (count % PAUSE_EVERY === 0) yield
    if (readerOf(files, path) !== undefined && !isBeside(path)) paths.push(path)
  }
  paths.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  const left = paths.length - MAX_MANIFESTS
  if (left > 0) files.note(`${left} manifests were not read, only the ${MAX_MANIFESTS} nearest to the root`)
  const found: Manifest[] = []
  for (const path of paths.slice(0, MAX_MANIFESTS)) {
    yield
    const manifest = readerOf(files, path)?.(files, path)
    if (manifest !== undefined) found.push(manifest)
  }
  return found
}

function membership(manifests: readonly Manifest[]): (manifest: Manifest) => boolean {
  const rules = manifests
    .filter(({ members }) => members.length > 0)
    .map(({ path, ecosystem, members }) => {
      const globs = members
        .filter((each) => each.length <= MAX_GLOB_CHARS)
        .map((each) => join(folderOf(path), each.replace(/\/+$/, "")))
      const ignore = globs.filter((each) => each.includes("!")).map((each) => each.replaceAll("!", ""))
      const included = globs.filter((each) => !each.includes("!"))
      return { path, ecosystem, isMember: picomatch(included, { ignore }) }
    })
  // A Maven or Gradle build is a module of a build in a folder above it.
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
  // If several files describe one Python project, only the first in PYTHON is read.
  if (PYTHON.includes(name) && path === besideOf(files, path, PYTHON)) return readPython
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
