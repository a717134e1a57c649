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
  // As far up from src/cli/project as from dist/cli/project.
  const manifest = fileURLToPath(new URL("../../../package.json", import.meta.url))
  // Our own manifest, whose shape the build guarantees.
  const { name, version } = JSON.parse(readFileSync(manifest, "utf8")) as OwnPackage
  return { dir: dirname(manifest), name, version }
}

/** The specifier for OpenCode: the name when installed, the path in a checkout, which no registry knows. */
export function ownSpecifier({ dir, name }: OwnPackage = ownPackage()): string {
  return /[\\/]node_modules[\\/]/.test(dir) ? name : dir
}
