import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { HiveError } from "../../shared/error.ts"
import { HIVE_FOLDER, type HivePaths } from "./layout.ts"

/** The first of the folders under `.hivemind/`, or that itself, that leads out of the project by a link. */
export function linkOutside(paths: HivePaths): { link: string; target: string } | undefined {
  const { root, config, graph, log, parts, archive, index, state, sessions, project } = paths
  const link = [root, dirname(config), graph, log, parts, archive, index, state, sessions, project].find(
    isOutside,
  )
  return link === undefined ? undefined : { link, target: targetOf(link) }
}

/** True of a path under a `.hivemind/` that a link leads out of the project of. */
export function isOutside(path: string): boolean {
  const end = `${path}${sep}`.lastIndexOf(`${sep}${HIVE_FOLDER}${sep}`)
  if (end < 0) return false
  const inside = relative(targetOf(path.slice(0, end)), targetOf(path))
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)
}

/** A repository may bring such a link along: nothing is written where it leads. */
export function refuseOutside(path: string): void {
  if (!isOutside(path)) return
  throw new HiveError({
    code: "not_writable",
    what: "Nothing was written.",
    why: `${path} is a link out of the project, or below one.`,
    use_instead: "Put a folder in its place.",
    evidence: `${path} → ${targetOf(path)}`,
  })
}

/** Where a path leads, all links followed, also if nothing is there yet. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    if (parent === path) return path
    return isLink(path) ? resolve(parent, readlinkSync(path)) : join(targetOf(parent), basename(path))
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false // Not there.
  }
}
