import { posix } from "node:path"

/** A path or pattern as locks are compared: with slashes, and without `./`, `..` and a slash behind it. */
export function lockPath(path: string): string {
  const normal = posix.normalize(path.replaceAll("\\", "/")).replace(/\/+$/, "")
  return normal === "." ? "" : normal
}

/** The folders that a path lies in, the innermost first. */
export function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let rest = path, at = rest.lastIndexOf("/"); at >= 0; at = rest.lastIndexOf("/")) {
    rest = rest.slice(0, at)
    folders.push(rest)
  }
  return folders
}
