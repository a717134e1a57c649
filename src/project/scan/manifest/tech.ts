import {
  commandPurposes,
  type Framework,
  type PackageManager,
  type ProjectCommand,
  type ProjectMap,
} from "../../../schemas/project-map.ts"
import type { Pausing } from "../../../shared/slices.ts"
import { shorten } from "../../../shared/text/clean.ts"
import { depthOf, folderOf, type ScannedFiles } from "../listing/scanned-files.ts"
import { findManifests, membership } from "./find-manifests.ts"
import { knownFramework } from "./known-frameworks.ts"
import { lockedVersions } from "./locked-versions.ts"
import { type Manifest, placeOf } from "./manifest.ts"
import { runnerCommands } from "./runners.ts"

export type Tech = Pick<ProjectMap, "frameworks" | "managers" | "packages" | "commands">

/** What the project is built with and how it is run, each with its evidence. */
export function* findTech(files: ScannedFiles): Pausing<Tech> {
  const manifests = yield* findManifests(files)
  const isMember = membership(manifests)
  // A package of a workspace is run from the workspace; one that stands for itself, from its own folder.
  const own = manifests.filter((each) => !isMember(each) && depthOf(each.path) <= MAX_DEPTH)
  const commands = [...runnerCommands(files), ...own.flatMap((each) => each.commands)]
  return {
    frameworks: yield* frameworksOf(files, manifests),
    managers: managersOf(own),
    packages: manifests.slice(0, MAX_PACKAGES).map(({ path, name, ecosystem }) => ({
      path: folderOf(path) || ".",
      name: name === null ? null : shorten(name, MAX_NAME),
      ecosystem,
    })),
    commands: bestCommands(commands),
  }
}

/** Each once, from the manifest nearest to the top. */
function* frameworksOf(files: ScannedFiles, manifests: readonly Manifest[]): Pausing<Framework[]> {
  const found = new Map<string, Framework>()
  const lockedIn = lockedVersions(files)
  for (const manifest of manifests) {
    yield
    for (const dependency of manifest.dependencies) {
      const known = knownFramework(manifest.ecosystem, dependency.name)
      if (known === undefined) continue
      const before = found.get(known.name)
      // A package of the workspace itself, or one that names the catalog, says no version; another one may.
      const version = versionIn(dependency.version)
      if (before !== undefined && (before.version !== null || version === null)) continue
      found.set(known.name, {
        ...known,
        version,
        locked: lockedIn(manifest, dependency),
        evidence: placeOf(manifest, dependency),
      })
    }
  }
  return [...found.values()].sort((a, b) => worth(a) - worth(b))
}

/** What a project is made of says more about it than what it is checked with. */
function worth({ kind }: Framework): number {
  const place = LAST_KINDS.indexOf(kind)
  return kind === "language" ? -1 : place < 0 ? 0 : place + 1
}

/** A manifest is somebody's text, and this goes into what the model reads: no more of it than a version takes. */
function versionIn(text: string | null): string | null {
  if (text === null || /^(workspace|catalog|file|link|portal):|^\*?$/.test(text)) return null
  return shorten(text, MAX_VERSION)
}

function managersOf(manifests: readonly Manifest[]): PackageManager[] {
  const found = new Map<string, PackageManager>()
  for (const { managers } of manifests)
    for (const manager of managers) if (!found.has(manager.name)) found.set(manager.name, manager)
  return [...found.values()]
}

/** For each folder and purpose two at most: what somebody has written down; where nobody has, what is usual. */
function bestCommands(commands: readonly ProjectCommand[]): ProjectCommand[] {
  const alike = new Map<string, ProjectCommand[]>()
  for (const command of commands) {
    const key = `${command.folder}\n${command.purpose}`
    alike.set(key, [...(alike.get(key) ?? []), command])
  }
  const chosen = [...alike.values()].flatMap((each) => {
    const declared = each.filter((command) => command.declared)
    // The shorter name is the whole, `test:unit` a part of it. Of what is usual, each tool has one.
    if (declared.length > 0)
      return declared.sort((a, b) => a.command.length - b.command.length).slice(0, MAX_ALIKE)
    const byTool = new Map([...each].reverse().map((command) => [command.command.split(" ", 1)[0], command]))
    return each
      .filter((command) => byTool.get(command.command.split(" ", 1)[0]) === command)
      .slice(0, MAX_ALIKE)
  })
  const order = (each: ProjectCommand) => commandPurposes.indexOf(each.purpose)
  return chosen.sort((a, b) => a.folder.localeCompare(b.folder) || order(a) - order(b)).slice(0, MAX_COMMANDS)
}

const LAST_KINDS = ["build", "monorepo", "tests", "types", "benchmarks", "lint", "format", "documents"]
const MAX_VERSION = 40
const MAX_NAME = 80
const MAX_DEPTH = 2
const MAX_PACKAGES = 200
const MAX_COMMANDS = 60
const MAX_ALIKE = 2
