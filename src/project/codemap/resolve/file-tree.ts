import { dirname } from "node:path/posix"
import { readProjectFile } from "../../files/read-file.ts"
import { parseLooseJson } from "./loose-json.ts"

/** The files of a project in memory, with what their packages and configurations say, read when first asked for. */
export interface FileTree {
  has: (path: string) => boolean
  /** The nearest of these names in a file's folder or above it. */
  nearest: (from: string, names: readonly string[]) => string | undefined
  packageIn: (folder: string) => PackageFile | undefined
  /** By their names: folders whose package others may import. */
  packages: () => ReadonlyMap<string, string>
  /** A JSON file with comments; undefined where it is none. */
  json: (path: string) => Record<string, unknown> | undefined
}

interface PackageFile {
  name?: string
  main?: string
  types?: string
  exports?: unknown
  imports?: unknown
}

export function fileTree(dir: string, paths: readonly string[]): FileTree {
  const files = new Set(paths)
  const read = new Map<string, Record<string, unknown> | undefined>()
  const nearestOf = new Map<string, string | undefined>()
  let named: Map<string, string> | undefined

  function json(path: string): Record<string, unknown> | undefined {
    if (!read.has(path)) read.set(path, readJson(dir, path))
    return read.get(path)
  }

  function nearest(folder: string, names: readonly string[]): string | undefined {
    const key = `${folder}\0${names[0]}`
    if (nearestOf.has(key)) return nearestOf.get(key)
    const here = names
      .map((name) => (folder === "." ? name : `${folder}/${name}`))
      .find((path) => files.has(path))
    const found = here ?? (folder === "." ? undefined : nearest(dirname(folder), names))
    nearestOf.set(key, found)
    return found
  }

  function packageIn(folder: string): PackageFile | undefined {
    const path = folder === "." || folder === "" ? "package.json" : `${folder}/package.json`
    return files.has(path) ? packageFile(json(path)) : undefined
  }

  return {
    has: (path) => files.has(path),
    nearest: (from, names) => nearest(dirname(from), names),
    packageIn,
    packages() {
      named ??= new Map(
        paths
          .filter((path) => path === "package.json" || path.endsWith("/package.json"))
          .flatMap((path) => {
            const folder = dirname(path)
            const name = packageIn(folder)?.name
            return name === undefined ? [] : [[name, folder] as const]
          })
          // Of two with one name, as in examples and fixtures, the one nearer to the top counts.
          .sort((a, b) => b[1].split("/").length - a[1].split("/").length),
      )
      return named
    },
    json,
  }
}

function readJson(dir: string, path: string): Record<string, unknown> | undefined {
  const found = readProjectFile(dir, path, MAX_BYTES)
  const value = "text" in found ? parseLooseJson(found.text) : undefined
  return typeof value === "object" && value !== null ? { ...value } : undefined
}

function packageFile(json: Record<string, unknown> | undefined): PackageFile | undefined {
  if (json === undefined) return undefined
  const { name, main, module, types = json["typings"], exports, imports } = json
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof (main ?? module) === "string" && { main: String(main ?? module) }),
    ...(typeof types === "string" && { types }),
    exports,
    imports,
  }
}

const MAX_BYTES = 1 << 20
