import { readFileSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { readConfigFile } from "./config-file.ts"
import { listPlugins } from "./plugin-list.ts"

const PACKAGE_NAME = "hivemind-opencode"

/** Whose config: the project's own files, or the user's, which hold for every project. */
export type ConfigScope = "project" | "global"

export interface ConfigLocation {
  /** Where OpenCode looks for the project's config. */
  projectDir: string
  /** The folder that holds `.hivemind/`, where the install is on record. */
  hiveHome: string
  /** The user's home folder. */
  home: string
  env: Record<string, string | undefined>
}

/** Whether a specifier, read in that config file, is the plugin looked for. */
export type PluginMatch = (specifier: string, configFile: string) => boolean

export interface FoundConfig {
  file: string
  text: string
  plugins: string[] | undefined
}

/**
 * The files OpenCode reads for a scope, the one to edit first.
 *
 * A project: all four are read (opencode.json first, .opencode/opencode.jsonc last), and their plugins are
 * joined, so any will do. The user's: all three are read too, but there a later `plugin` array replaces an
 * earlier one, so only the strongest file that has one counts. `OPENCODE_CONFIG` and `OPENCODE_CONFIG_DIR` add
 * to these and take nothing away; they belong to whoever set them, and are left alone.
 */
export function configFiles(scope: ConfigScope, location: ConfigLocation): string[] {
  if (scope === "project") {
    const inside = join(location.projectDir, ".opencode")
    return [location.projectDir, inside].flatMap((dir) => [
      join(dir, "opencode.json"),
      join(dir, "opencode.jsonc"),
    ])
  }
  const dir = userConfigFolder(location)
  return [join(dir, "opencode.jsonc"), join(dir, "opencode.json"), join(dir, "config.json")]
}

export function userConfigFolder({ env, home }: ConfigLocation): string {
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode")
}

/** Those of the files that are there, in the same order. Throws on one that OpenCode could not read. */
export async function readConfigs(files: string[]): Promise<FoundConfig[]> {
  const found: FoundConfig[] = []
  for (const file of files) {
    const text = await readConfigFile(file)
    if (text !== undefined) found.push({ file, text, plugins: listPlugins(text, file) })
  }
  return found
}

/** The config that loads HiveMind already, and the specifier it does it by. */
export function findInstalled(
  scope: ConfigScope,
  found: FoundConfig[],
  matches: PluginMatch = isHiveMind,
): { file: string; specifier: string } | undefined {
  const withPlugins = found.filter((config) => config.plugins !== undefined)
  const effective = scope === "global" ? withPlugins.slice(0, 1) : withPlugins
  for (const { file, plugins } of effective) {
    const specifier = plugins?.find((candidate) => matches(candidate, file))
    if (specifier !== undefined) return { file, specifier }
  }
  return undefined
}

/** The config of the other scope that loads HiveMind too, if one does. */
export async function findInOtherScope(
  scope: ConfigScope,
  location: ConfigLocation,
): Promise<string | undefined> {
  const other = scope === "project" ? "global" : "project"
  // A broken file over there is not what the caller is about.
  const found = await readConfigs(configFiles(other, location)).catch(() => [])
  return findInstalled(other, found)?.file
}

/** The config a new plugin goes into: one that lists plugins already, or any that is there, or a new file. */
export function chooseConfigFile(
  scope: ConfigScope,
  location: ConfigLocation,
  found: FoundConfig[],
): { file: string; text: string | undefined } {
  const existing = found.find((config) => config.plugins !== undefined) ?? found[0]
  if (existing !== undefined) return existing
  const files = configFiles(scope, location)
  const file =
    files.find((path) => path.endsWith("opencode.json")) ?? join(location.projectDir, "opencode.json")
  return { file, text: undefined }
}

/** Whether a specifier in that config means this package: by name, at any version, or by the path of a checkout. */
export function isHiveMind(specifier: string, configFile: string): boolean {
  if (NAMES_US.test(specifier)) return true
  const path = pluginPath(specifier, configFile)
  return path !== undefined && packageNameAt(path) === PACKAGE_NAME
}

const NAMES_US = new RegExp(`^(?:.*@?npm:)?${PACKAGE_NAME}(?:@.*)?$`)

/** OpenCode takes file URLs, absolute paths and paths with a leading dot, from the config's own folder. */
function pluginPath(specifier: string, configFile: string): string | undefined {
  try {
    if (specifier.startsWith("file://")) return fileURLToPath(specifier)
  } catch {
    // Not a path on this system, so not this package.
    return undefined
  }
  if (isAbsolute(specifier)) return specifier
  return specifier.startsWith(".") ? resolve(dirname(configFile), specifier) : undefined
}

/** OpenCode's entry is the package's folder; one may also name its entry file, or that of the panel. */
function packageNameAt(path: string): unknown {
  return readName(
    join(path.replace(/[\\/](?:(?:dist|src)[\\/]index|dist[\\/]tui)\.[jt]s$/, ""), "package.json"),
  )
}

function readName(manifest: string): unknown {
  try {
    const parsed: unknown = JSON.parse(readFileSync(manifest, "utf8"))
    return typeof parsed === "object" && parsed !== null && "name" in parsed ? parsed.name : undefined
  } catch {
    // No package.json, or one that cannot be read: no package.
    return undefined
  }
}
