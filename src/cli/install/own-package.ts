import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ownFolder } from "../../shared/own-folder.ts"

export interface OwnPackage {
  dir: string
  name: string
  version: string
}

/** The package this code runs from. */
export function ownPackage(): OwnPackage {
  const dir = ownFolder()
  const { name, version } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as OwnPackage
  return { dir, name, version }
}
