import { readFileSync, realpathSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { ownFolder } from "../../shared/own-folder.ts"

export interface OwnPackage {
  dir: string
  name: string
  version: string
  /** The commit it was built from, with `+` if files were changed; null for sources and builds outside of git. */
  commit: string | null
}

/** Put in by the bundler. */
declare const HIVEMIND_COMMIT: string | null | undefined

/** The package this code runs from. */
export function ownPackage(): OwnPackage {
  const dir = ownFolder()
  const { name, version } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as OwnPackage
  return { dir, name, version, commit: typeof HIVEMIND_COMMIT === "string" ? HIVEMIND_COMMIT : null }
}

/** `0.1.0 (commit 1a2b3c4d)`. */
export function versionText(): string {
  const { version, commit } = ownPackage()
  return commit === null ? version : `${version} (commit ${commit})`
}

/**
 * The specifier that makes OpenCode load this package from a config file: its name if it came from a package registry,
 * because OpenCode finds it there as well; else the path of this copy, relative to the file if the project has it installed,
 * so that it is right in every clone of the project.
 */
export function pluginSpecifier(
  { dir, name }: Pick<OwnPackage, "dir" | "name">,
  projectDir: string,
  configFile: string,
): string {
  if (isFromRegistry(dir, name)) return name
  const installed = join(projectDir, "node_modules", name)
  const isOfProject = configFile.startsWith(projectDir + sep)
  // A folder or a store that the package manager links to is the same copy.
  if (!isOfProject || !isSamePlace(installed, dir)) return dir
  const path = relative(dirname(configFile), installed).replaceAll("\\", "/")
  return path.startsWith(".") ? path : `./${path}`
}

/** How another agent starts our server. */
export interface ServerCommand {
  command: string
  args: string[]
  /** True if the command is right on every machine that has the project. */
  isShared: boolean
}

/** The server of the package that the project has installed; else that of this copy, which is right on this machine only. */
export function serverCommand({ dir }: Pick<OwnPackage, "dir">, projectDir: string): ServerCommand {
  if (dir.startsWith(join(projectDir, "node_modules") + sep))
    // If it is not installed yet, npx would fetch the package that the registry has under that name.
    return { command: "npx", args: ["--no-install", "hivemind", "mcp"], isShared: true }
  return { command: "node", args: [join(dir, "dist", "cli", "main.js"), "mcp"], isShared: false }
}

function isSamePlace(link: string, dir: string): boolean {
  try {
    return realpathSync(link) === realpathSync(dir)
  } catch {
    return false // Not installed there.
  }
}

/** npm keeps a list of where packages came from, except of global ones; the folders of one-time runs come from a registry. */
function isFromRegistry(dir: string, name: string): boolean {
  const modules = dir.slice(0, dir.lastIndexOf(`${sep}${name}`))
  if (!modules.endsWith("node_modules")) return false
  const resolved = resolvedFrom(join(modules, ".package-lock.json"), name)
  if (resolved === undefined) return ONE_TIME_RUN.test(modules)
  // A tarball from elsewhere has an address too, but not this path.
  return /^https?:/.test(resolved) && resolved.includes(`/${name}/-/`)
}

function resolvedFrom(lockfile: string, name: string): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(lockfile, "utf8"))
    const resolved: unknown = packages?.[`node_modules/${name}`]?.resolved
    return typeof resolved === "string" ? resolved : undefined
  } catch {
    return undefined // No list, or one that cannot be read.
  }
}

// `pnpm dlx` and `bunx`; that of `npx` has a list.
const ONE_TIME_RUN = /[\\/](?:dlx|bunx)-/
