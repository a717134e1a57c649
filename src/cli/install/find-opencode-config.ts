import { readFileSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { isEnabledFor } from "../../hive/plugin-options.ts"
import { readConfigFile } from "./config-file.ts"
import { type PluginEntry, pluginEntries } from "./plugin-list.ts"

const PACKAGE_NAME = "hivemind-opencode"

/** Whose config: the project's own files, or the user's, which hold for every project. */
export type ConfigScope = "project" | "global"
const SCOPES = ["project", "global"] as const

export interface ConfigLocation {
  /** Where OpenCode looks for the project's config. */
  projectDir: string
  /** The folder that holds `.hivemind/`, where the install is on record. */
  hiveHome: string
  /** The user's home folder. */
  home: string
  env: Record<string, string | undefined>
}

export interface FoundConfig {
  file: string
  text: string
  entries: PluginEntry[] | undefined
}

/** A config that loads HiveMind, and the entry it does it by. */
export interface InstalledEntry extends FoundConfig {
  scope: ConfigScope
  entry: PluginEntry
}

/**
 * The files OpenCode reads for a scope, the one to edit first.
 *
 * A project: all four are read (opencode.json first, .opencode/opencode.jsonc last), and their plugins are
 * joined, so any will do. The user's: all three are read too, but there a later `plugin` array replaces an
 * earlier one, so only the strongest file that has one counts. `OPENCODE_CONFIG` and `OPENCODE_CONFIG_DIR` add
 * to these and take nothing away; the user set them, so they are left alone.
 */
export function configFiles(scope: ConfigScope, location: ConfigLocation): string[] {
  const user = userConfigFolder(location)
  if (scope === "global")
    return ["opencode.jsonc", "opencode.json", "config.json"].map((name) => join(user, name))
  return projectFolders(location).flatMap((dir) => [join(dir, "opencode.json"), join(dir, "opencode.jsonc")])
}

/** The files that a terminal UI of OpenCode 1 reads, the one to edit first. It joins their plugins. */
export function panelFiles(scope: ConfigScope, location: ConfigLocation): string[] {
  const folders = scope === "project" ? projectFolders(location) : [userConfigFolder(location)]
  return folders.flatMap((dir) => [join(dir, "tui.json"), join(dir, "tui.jsonc")])
}

/** The file of OpenCode 2's terminal UI, one for all projects. */
export function secondPanelFile(location: ConfigLocation): string {
  return join(userConfigFolder(location), "cli.json")
}

function projectFolders({ projectDir }: ConfigLocation): string[] {
  return [projectDir, join(projectDir, ".opencode")]
}

function userConfigFolder({ env, home }: ConfigLocation): string {
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode")
}

/** Those of the files that exist, in the same order. Throws on one that OpenCode could not read. */
export async function readConfigs(files: readonly string[]): Promise<FoundConfig[]> {
  const found: FoundConfig[] = []
  for (const file of files) {
    const text = await readConfigFile(file)
    if (text !== undefined) found.push({ file, text, entries: pluginEntries(text, file) })
  }
  return found
}

/** Those of the files that can be read. */
export async function readableConfigs(files: readonly string[]): Promise<FoundConfig[]> {
  const found = await Promise.all(files.map((file) => readConfigs([file]).catch(() => [])))
  return found.flat()
}

/** The first config with an entry that `matches`. Of the user's configs only the strongest list of plugins counts. */
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

/** The config that makes HiveMind active for the hive of a folder: an entry for other projects only does not count. */
export function findActive(
  scope: ConfigScope,
  found: readonly FoundConfig[],
  hiveHome: string,
): InstalledEntry | undefined {
  const installed = findInstalled(scope, found)
  return installed !== undefined && isEnabledFor(hiveHome, installed.entry.options) ? installed : undefined
}

/** All configs that make HiveMind active here, the project's first. Throws on one that cannot be read. */
export async function findAllActive(location: ConfigLocation): Promise<InstalledEntry[]> {
  const active: InstalledEntry[] = []
  for (const scope of SCOPES) {
    const found = findActive(scope, await readConfigs(configFiles(scope, location)), location.hiveHome)
    if (found !== undefined) active.push(found)
  }
  return active
}

/** The config of the other scope that loads HiveMind too, if one does. */
export async function findInOtherScope(
  scope: ConfigScope,
  location: ConfigLocation,
): Promise<string | undefined> {
  const other = scope === "project" ? "global" : "project"
  return findActive(other, await readableConfigs(configFiles(other, location)), location.hiveHome)?.file
}

/** Where the panel is named; undefined if it is not, or if that file cannot be read. */
export async function findPanel(location: ConfigLocation): Promise<InstalledEntry | undefined> {
  const files = SCOPES.flatMap((scope) => panelFiles(scope, location))
  // Of panels every list counts, in both scopes.
  return findActive(
    "project",
    await readableConfigs([...files, secondPanelFile(location)]),
    location.hiveHome,
  )
}

/** Whether a specifier in that config means this package: by name, at any version, or by the path of a checkout. */
export function isHiveMind(specifier: string, configFile: string): boolean {
  if (NAMES_US.test(specifier)) return true
  const path = pluginPath(specifier, configFile)
  return path !== undefined && packageNameAt(path) === PACKAGE_NAME
}

const NAMES_US = new RegExp(`^(?:.*@?npm:)?${PACKAGE_NAME}(?:@.*)?$`)

/** Whether a specifier names a place on this machine and not a package of a registry. */
export function isPath(specifier: string): boolean {
  return isAbsolute(specifier) || /^(?:\.|file:)/.test(specifier)
}

/** OpenCode takes file URLs, absolute paths and paths with a leading dot, from the config's own folder. */
function pluginPath(specifier: string, configFile: string): string | undefined {
  if (!isPath(specifier)) return undefined
  try {
    return specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(dirname(configFile), specifier)
  } catch {
    return undefined // Not a path on this system, so not this package.
  }
}

/** OpenCode's entry is the package's folder; one may also name its entry file, or that of the panel. */
function packageNameAt(path: string): unknown {
  const folder = path.replace(/[\\/](?:(?:dist|src)[\\/]index|dist[\\/]tui)\.[jt]s$/, "")
  try {
    const { name }: { name?: unknown } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return name
  } catch {
    return undefined // No package.json, or one that cannot be read: no package.
  }
}
