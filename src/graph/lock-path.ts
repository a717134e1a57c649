/** A path as locks are compared: with slashes, and neither `./` before it nor a slash behind it. */
export function lockPath(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\.\//, "").replace(/\/+$/, "")
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
