import { readFileSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, relative, sep } from "node:path"
import type { OwnPackage } from "./own-package.ts"

/**
 * What makes OpenCode load this package from a config file: its name if it came from a package registry, where OpenCode finds
 * it as well; else the path of this copy, from the file's own folder where the project has it installed, so that it is right
 * for everybody who has the project.
 */
export function pluginSpecifier({ dir, name }: OwnPackage, projectDir: string, configFile: string): string {
  if (isFromRegistry(dir, name)) return name
  const installed = join(projectDir, "node_modules", name)
  const isOfProject = configFile.startsWith(projectDir + sep)
  // A folder or a store that the package manager links to is the same copy.
  if (!isOfProject || !isSamePlace(installed, dir)) return dir
  const path = relative(dirname(configFile), installed).replaceAll("\\", "/")
  return path.startsWith(".") ? path : `./${path}`
}

function isSamePlace(link: string, dir: string): boolean {
  try {
    return realpathSync(link) === realpathSync(dir)
  } catch {
    return false // Not installed there.
  }
}

/** Whether a specifier names a place on this machine and not a package of a registry. */
export function isPath(specifier: string): boolean {
  return isAbsolute(specifier) || /^(?:\.|file:)/.test(specifier)
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
    // No list, or one that cannot be read: nobody says where it came from.
    return undefined
  }
}

// `pnpm dlx` and `bunx`; that of `npx` has a list.
const ONE_TIME_RUN = /[\\/](?:dlx|bunx)-/
