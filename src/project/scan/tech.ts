import {
  commandPurposes,
  type Framework,
  type PackageManager,
  type ProjectCommand,
  type ProjectMap,
} from "../../schemas/project-map.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { findManifests, membership } from "./find-manifests.ts"
import { knownFramework } from "./known-frameworks.ts"
import { evidenceOf, type Manifest } from "./manifest.ts"
import { runnerCommands } from "./runners.ts"
import { depthOf, folderOf, type ScannedFiles } from "./scanned-files.ts"

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
