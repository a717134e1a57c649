import { readdirSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { isOfOlderTool } from "../../store/upgrade/legacy-files.ts"
import { g0 } from "./g0.ts"
import { g1 } from "./g1.ts"
import { g2 } from "./g2.ts"
import { idumb } from "./idumb.ts"
import { type Layout, STEPS } from "./layout.ts"
import type { OldFile } from "./old-file.ts"

/** The files of older tools in a project, in the order in which they are read. Looks at names and beginnings only. */
export function findOldFiles(project: string): OldFile[] {
  const seen = new Set<string>()
  return LAYOUTS.flatMap((layout) => filesOf(project, layout))
    .filter(({ path }) => !seen.has(path) && seen.add(path))
    .sort((a, b) => a.step - b.step)
}

function filesOf(project: string, { name: layout, folder, files }: Layout): OldFile[] {
  const root = join(project, folder)
  if (statOf(root) === undefined) return []
  return files.flatMap(({ path, names, step, read, isShared = false, stays = folder !== ".hivemind" }) => {
    const base = join(root, path)
    const paths = names === undefined ? [base] : namesIn(base, names).map((name) => join(base, name))
    return paths.flatMap((each) => {
      const stat = statOf(each)
      if (stat === undefined || !stat.isFile() || !isInside(project, each)) return []
      if (isShared && !isOfOlderTool(join(project, ".hivemind"), each)) return []
      const name = relative(project, each).split(sep).join("/")
      return [
        { layout, path: each, name, at: stat.mtime.toISOString(), stays, read, step: STEPS.indexOf(step) },
      ]
    })
  })
}

/** A repository may bring links along: what lies outside is nobody's to read. */
function isInside(project: string, path: string): boolean {
  try {
    const inside = relative(realpathSync(project), realpathSync(path))
    return inside !== "" && !inside.startsWith("..")
  } catch {
    return false // Gone meanwhile.
  }
}

function statOf(path: string) {
  try {
    return statSync(path)
  } catch {
    return undefined // Not there, or not for us to see.
  }
}

function namesIn(folder: string, names: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => names.test(name))
      .sort()
  } catch {
    return [] // There is no such folder.
  }
}

// The newest first.
const LAYOUTS = [g2, g1, idumb, g0]
