import { join } from "node:path"
import type { InstallPlan } from "./install-plugin.ts"
import {
  type ConfigLocation,
  type ConfigScope,
  type FoundConfig,
  findInstalled,
  isHiveMind,
  readConfigs,
  userConfigFolder,
} from "./opencode-config.ts"
import { addPlugin, hasPluginList, newConfig } from "./plugin-list.ts"
import { isPath } from "./plugin-specifier.ts"

/** The files in which a terminal UI of OpenCode may look for plugins. */
export function panelFiles(scope: ConfigScope, location: ConfigLocation): string[] {
  const files = firstPanelFiles(scope, location)
  return scope === "project" ? files : [...files, secondPanelFile(location)]
}

/** OpenCode 1, the one to edit first. It joins what they name. */
function firstPanelFiles(scope: ConfigScope, location: ConfigLocation): string[] {
  const { projectDir } = location
  const folders =
    scope === "project" ? [projectDir, join(projectDir, ".opencode")] : [userConfigFolder(location)]
  return folders.flatMap((folder) => [join(folder, "tui.json"), join(folder, "tui.jsonc")])
}

/** OpenCode 2. It has one for all projects. */
function secondPanelFile(location: ConfigLocation): string {
  return join(userConfigFolder(location), "cli.json")
}

/**
 * What init would do to show the panel in OpenCode 2; undefined where that has never run. It makes its file at its first start,
 * with the settings that OpenCode 1 had: one made by us would keep it from that.
 */
export async function planSecondPanel(
  location: ConfigLocation,
  specifierFor: (file: string) => string,
): Promise<InstallPlan | undefined> {
  const file = secondPanelFile(location)
  const found = await readConfigs([file])
  const [config] = found
  if (config === undefined) return undefined
  const given = specifierFor(file)
  // Of a folder it would take `tui.js` beside the package's own description.
  const specifier =
    isPath(given) && !given.endsWith(".js") ? `${given.replace(/[\\/]$/, "")}/dist/tui.js` : given
  const installed = panelIn(found, (entry, at) => entry === specifier || isHiveMind(entry, at))
  if (installed !== undefined)
    return { scope: "global", ...installed, before: undefined, after: undefined, madeKey: false }
  const { text, plugins } = config
  const after = addPlugin(text, specifier, file, "plugins")
  return { scope: "global", specifier, file, before: text, after, madeKey: plugins === undefined }
}

/** What init would do to show the panel in OpenCode 1. Reads only; throws on a config that cannot be edited safely. */
export async function planPanel(
  scope: ConfigScope,
  location: ConfigLocation,
  specifierFor: (file: string) => string,
): Promise<InstallPlan> {
  const files = firstPanelFiles(scope, location)
  const found = await readConfigs(files)
  const installed = panelIn(found, (entry, file) => entry === specifierFor(file) || isHiveMind(entry, file))
  if (installed !== undefined)
    return { scope, ...installed, before: undefined, after: undefined, madeKey: false }
  const chosen = found.find(({ plugins }) => plugins !== undefined) ?? found[0]
  const file = chosen?.file ?? files[0] ?? join(location.projectDir, "tui.json")
  const [text, specifier] = [chosen?.text, specifierFor(file)]
  return {
    ...{ scope, specifier, file, before: text },
    after: text === undefined ? newConfig(specifier, file) : addPlugin(text, specifier, file),
    madeKey: text === undefined || !hasPluginList(text, file),
  }
}

/** Where the panel is named; undefined where it is not, or nobody can read it. */
export async function findPanel(
  location: ConfigLocation,
): Promise<{ file: string; specifier: string } | undefined> {
  for (const scope of ["project", "global"] as const) {
    const installed = panelIn(await readableOf(panelFiles(scope, location)))
    if (installed !== undefined) return installed
  }
  return undefined
}

/** Those that can be read: a broken one that we have never touched is not ours to complain about. */
export async function readableOf(files: readonly string[]): Promise<FoundConfig[]> {
  const found = await Promise.all(files.map((file) => readConfigs([file]).catch(() => [])))
  return found.flat()
}

// In a project every list counts, and so it is here in both scopes.
function panelIn(
  found: FoundConfig[],
  matches = isHiveMind,
): { file: string; specifier: string } | undefined {
  return findInstalled("project", found, matches)
}
