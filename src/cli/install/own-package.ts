import { readFileSync, realpathSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { ownFolder } from "../../shared/own-folder.ts"

export interface OwnPackage {
  dir: string
  name: string
  version: string
  /** The commit of the build, with `+` for uncommitted changes; null for sources and builds outside of git. */
  commit: string | null
}

declare const HIVEMIND_COMMIT: string | null | undefined

export function ownPackage(): OwnPackage {
  const dir = ownFolder()
  const { name, version } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as OwnPackage
  return { dir, name, version, commit: typeof HIVEMIND_COMMIT === "string" ? HIVEMIND_COMMIT : null }
}

export function versionText(): string {
  const { version, commit } = ownPackage()
  return commit === null ? version : `${version} (commit ${commit})`
}

/** The package name if it came from a registry, else its path: relative if the project installed it, else absolute. */
export function pluginSpecifier(
  { dir, name }: Pick<OwnPackage, "dir" | "name">,
  projectDir: string,
  configFile: string,
): string {
  if (isFromRegistry(dir, name)) return name
  const installed = join(projectDir, "node_modules", name)
  const isOfProject = configFile.startsWith(projectDir + sep)
  // The folder in node_modules may be a link to this copy.
  if (!isOfProject || !isSamePlace(installed, dir)) return dir
  const path = relative(dirname(configFile), installed).replaceAll("\\", "/")
  return path.startsWith(".") ? path : `./${path}`
}

export interface ServerCommand {
  command: string
  args: string[]
  /** True if the command works on every machine that has the project. */
  isShared: boolean
}

/** Starts the MCP server from the project's node_modules if this package is there, else from where it is on this machine. */
export function serverCommand({ dir }: Pick<OwnPackage, "dir">, projectDir: string): ServerCommand {
  if (dir.startsWith(join(projectDir, "node_modules") + sep))
    // Without `--no-install`, npx could download a package of that name from the registry.
    return { command: "npx", args: ["--no-install", "hivemind", "mcp"], isShared: true }
  return { command: "node", args: [join(dir, "dist", "cli", "main.js"), "mcp"], isShared: false }
}

function isSamePlace(link: string, dir: string): boolean {
  try {
    return realpathSync(link) === realpathSync(dir)
  } catch {
    return false // The project has not installed the package.
  }
}

/** Whether the package came from a registry, by npm's lockfile. Without one, only copies run by `pnpm dlx` or `bunx` did. */
function isFromRegistry(dir: string, name: string): boolean {
  const modules = dir.slice(0, dir.lastIndexOf(`${sep}${name}`))
  if (!modules.endsWith("node_modules")) return false
  const resolved = resolvedFrom(join(modules, ".package-lock.json"), name)
  if (resolved === undefined) return ONE_TIME_RUN.test(modules)
  // A tarball from elsewhere has a URL too, but without the path that registries use.
  return /^https?:/.test(resolved) && resolved.includes(`/${name}/-/`)
}

function resolvedFrom(lockfile: string, name: string): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(lockfile, "utf8"))
    const resolved: unknown = packages?.[`node_modules/${name}`]?.resolved
    return typeof resolved === "string" ? resolved : undefined
  } catch {
    return undefined // There is no lockfile, or it cannot be read.
  }
}

// Folders of `pnpm dlx` and `bunx`. The folder of `npx` is not needed here, because npm lists its packages.
const ONE_TIME_RUN = /[\\/](?:dlx|bunx)-/
