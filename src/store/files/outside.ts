import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, relative, resolve } from "node:path"
import { HiveError } from "../../shared/error.ts"
import type { HivePaths } from "./layout.ts"

/** Where `.hivemind/`, or a folder in it, leads out of the project by a link; undefined where none does. */
export function linkOutside(paths: HivePaths): { link: string; target: string } | undefined {
  const project = targetOf(dirname(paths.root))
  const { root, config, graph, log, parts, archive, state, sessions } = paths
  for (const link of [root, dirname(config), graph, log, parts, archive, state, sessions]) {
    const target = targetOf(link)
    if (target === undefined || project === undefined) continue
    const path = relative(project, target)
    if (path === ".." || /^\.\.[\\/]/.test(path) || isAbsolute(path)) return { link, target }
  }
  return undefined
}

/** A repository may bring such a link along: nothing is written where it leads. */
export function refuseOutside(paths: HivePaths): void {
  const outside = linkOutside(paths)
  if (outside === undefined) return
  throw new HiveError({
    code: "not_writable",
    what: "Nothing was written.",
    why: `${outside.link} is a link out of the project.`,
    use_instead: "Put a folder in its place.",
    evidence: `${outside.link} → ${outside.target}`,
  })
}

/** The folder itself, all links followed; undefined where there is nothing. */
function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return danglingTarget(path)
  }
}

function danglingTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : undefined
  } catch {
    return undefined // Not there yet.
  }
}
