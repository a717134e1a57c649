import { readFileSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { isEnabledFor } from "../../hive/plugin-options.ts"
import { readConfigFile } from "./config-file.ts"
import { type PluginEntry, pluginEntries } from "./plugin-list.ts"

const PACKAGE_NAME = "hivemind-opencode"

/** `project`: the project's own config files. `global`: the user's files, which apply to every project. */
export type ConfigScope = "project" | "global"
const SCOPES = ["project", "global"] as const

export interface ConfigLocation {
  /** The folder in which OpenCode looks for the project's config. */
  projectDir: string
  /** The folder that holds `.hivemind/` with the install record. */
  hiveHome: string
  home: string
  env: Record<string, string | undefined>
}

export interface FoundConfig {
  file: string
  text: string
  entries: PluginEntry[] | undefined
}

export interface InstalledEntry extends FoundConfig {
  scope: ConfigScope
  entry: PluginEntry
}

/**
 * The files that OpenCode reads for a scope; the first is the one to edit. OpenCode merges the plugins of a project's files, but
 * uses only the first `plugin` array of the user's files. HiveMind does not edit `OPENCODE_CONFIG` and `OPENCODE_CONFIG_DIR`.
 */
export function configFiles(scope: ConfigScope, location: ConfigLocation): string[] {
  const user = userConfigFolder(location)
  if (scope === "global")
    return ["opencode.jsonc", "opencode.json", "config.json"].map((name) => join(user, name))
  return projectFolders(location).flatMap((dir) => [join(dir, "opencode.json"), join(dir, "opencode.jsonc")])
}

/** The files that OpenCode 1's terminal UI reads; the first is the one to edit. Their plugins are merged. */
export function panelFiles(scope: ConfigScope, location: ConfigLocation): string[] {
  const folders = scope === "project" ? projectFolders(location) : [userConfigFolder(location)]
  return folders.flatMap((dir) => [join(dir, "tui.json"), join(dir, "tui.jsonc")])
}

export function secondPanelFile(location: ConfigLocation): string {
  return join(userConfigFolder(location), "cli.json")
}

function projectFolders({ projectDir }: ConfigLocation): string[] {
  return [projectDir, join(projectDir, ".opencode")]
}

function userConfigFolder({ env, home }: ConfigLocation): string {
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode")
}

export async function readConfigs(files: readonly string[]): Promise<FoundConfig[]> {
  const found: FoundConfig[] = []
  for (const file of files) {
    const text = await readConfigFile(file)
    if (text !== undefined) found.push({ file, text, entries: pluginEntries(text, file) })
  }
  return found
}

export async function readableConfigs(files: readonly string[]): Promise<FoundConfig[]> {
  const found = await Promise.all(files.map((file) => readConfigs([file]).catch(() => [])))
  return found.flat()
}

/** Finds the first config with a matching plugin entry. Of the user's configs, OpenCode uses only the first plugin list. */
export function findInstalled(
  scope: ConfigScope,
  found: readonly FoundConfig[],
  matches: (specifier: string, file: string) => boolean = isHiveMind,
): InstalledEntry | undefined {
  const withPlugins = found.filter(({ entries }) => entries !== undefined)
  for (const config of scope === "global" ? withPlugins.slice(0, 1) : withPlugins) {
    const entry = config.entries?.find(({ specifier }) => matches(specifier, config.file))
    if (entry !== undefined) return { ...config, scope, entry }
  }
  return undefined
}

/** The config entry that loads HiveMind for a hive. An entry that is limited to other projects does not count. */
export function findActive(
  scope: ConfigScope,
  found: readonly FoundConfig[],
  hiveHome: string,
): InstalledEntry | undefined {
  const installed = findInstalled(scope, found)
  return installed !== undefined && isEnabledFor(hiveHome, installed.entry.options) ? installed : undefined
}

export async function findAllActive(location: ConfigLocation): Promise<InstalledEntry[]> {
  const active: InstalledEntry[] = []
  for (const scope of SCOPES) {
    const found = findActive(scope, await readConfigs(configFiles(scope, location)), location.hiveHome)
    if (found !== undefined) active.push(found)
  }
  return active
}

export async function findInOtherScope(
  scope: ConfigScope,
  location: ConfigLocation,
): Promise<string | undefined> {
  const other = scope === "project" ? "global" : "project"
  return findActive(other, await readableConfigs(configFiles(other, location)), location.hiveHome)?.file
}

export async function findPanel(location: ConfigLocation): Promise<InstalledEntry | undefined> {
  const files = SCOPES.flatMap((scope) => panelFiles(scope, location))
  const found = await readableConfigs([...files, secondPanelFile(location)])
  // `project`, because OpenCode merges all panel lists, as it merges the plugin lists of a project.
  return findActive("project", found, location.hiveHome)
}

/** Whether a plugin specifier means this package: by name, at any version, or by the path of a checkout. */
export function isHiveMind(specifier: string, configFile: string): boolean {
  if (NAMES_US.test(specifier)) return true
  const path = pluginPath(specifier, configFile)
  return path !== undefined && packageNameAt(path) === PACKAGE_NAME
}

const NAMES_US = new RegExp(`^(?:.*@?npm:)?${PACKAGE_NAME}(?:@.*)?$`)

export function isPath(specifier: string): boolean {
  return isAbsolute(specifier) || /^(?:\.|file:)/.test(specifier)
}

function pluginPath(specifier: string, configFile: string): string | undefined {
  if (!isPath(specifier)) return undefined
  try {
    return specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(dirname(configFile), specifier)
  } catch {
    return undefined // Not a path on this system, so not this package.
  }
}

/** An entry usually names the package's folder, but may name its main file or the panel's file. */
function packageNameAt(path: string): unknown {
  const folder = path.replace(/[\\/](?:(?:dist|src)[\\/]index|dist[\\/]tui)\.[jt]s$/, "")
  try {
    const { name }: { name?: unknown } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return name
  } catch {
    return undefined // Without a readable package.json it is not a package.
  }
}
