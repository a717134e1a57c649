import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

export interface OwnPackage {
  dir: string
  name: string
  version: string
}

/** The package this code runs from. */
export function ownPackage(): OwnPackage {
  // Two up from src/cli as from dist/cli.
  const manifest = fileURLToPath(new URL("../../../package.json", import.meta.url))
  const { name, version } = JSON.parse(readFileSync(manifest, "utf8")) as OwnPackage
  return { dir: dirname(manifest), name, version }
}

/** How OpenCode is told to load it: by name when installed, by path from a checkout, which no registry knows. */
export function ownSpecifier({ dir, name }: OwnPackage = ownPackage()): string {
  return /[\\/]node_modules[\\/]/.test(dir) ? name : dir
}
