import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface OwnPackage {
  dir: string
  name: string
  version: string
}

/** The package this code runs from. */
export function ownPackage(): OwnPackage {
  let dir = dirname(fileURLToPath(import.meta.url))
  // Bundled or not, the first manifest above this file is ours.
  while (!existsSync(join(dir, "package.json"))) dir = dirname(dir)
  const { name, version } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as OwnPackage
  return { dir, name, version }
}
