import { accessSync, constants, readdirSync, realpathSync, statSync } from "node:fs"
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
  const all = LAYOUTS.flatMap((layout) => filesOf(project, layout))
  const telling = new Set(all.filter(({ isCommon }) => !isCommon).map(({ folder }) => folder))
  const seen = new Set<string>()
  return all
    .filter(({ folder }) => telling.has(folder))
    .filter(({ file }) => !seen.has(file.path) && seen.add(file.path))
    .map(({ file }) => file)
    .sort((a, b) => a.step - b.step)
}

interface Candidate {
  folder: string
  isCommon: boolean
  file: OldFile
}

function filesOf(project: string, { name: layout, folder, files }: Layout): Candidate[] {
  const root = join(project, folder)
  if (statOf(root) === undefined) return []
  return files.flatMap((each) => {
    const { path, names, step, read, isShared = false, isCommon = false } = each
    const base = join(root, path)
    const paths = names === undefined ? [base] : namesIn(base, names).map((name) => join(base, name))
    return paths.flatMap((found): Candidate[] => {
      const stat = statOf(found)
      if (stat === undefined) return []
      const why = whyNotRead(project, found, stat.isFile(), stat.size)
      const isHeld = why !== undefined && why !== EMPTY
      if (isShared && !isHeld && !isOfOlderTool(join(project, ".hivemind"), found)) return []
      const name = relative(project, found).split(sep).join("/")
      const stays = isHeld || (each.stays ?? folder !== ".hivemind")
      const file = {
        layout,
        path: found,
        name,
        at: stat.mtime.toISOString(),
        step: STEPS.indexOf(step),
        stays,
      }
      return [{ folder, isCommon, file: { ...file, read: why === undefined ? read : leftOut(why) } }]
    })
  })
}

function whyNotRead(project: string, path: string, isFile: boolean, size: number): string | undefined {
  if (!isInside(project, path)) return "a link that leads out of the project"
  if (!isFile) return "not a file"
  if (!isReadable(path)) return UNREADABLE
  return size === 0 ? EMPTY : undefined
}

function leftOut(why: string): OldFile["read"] {
  return async function* ({ name }) {
    if (why === UNREADABLE) yield { from: name, quarantine: why, original: undefined }
    else yield { from: name, ignore: why }
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
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

const EMPTY = "an empty file"
// It is tried again by the next run.
const UNREADABLE = "cannot be read; it stays where it is"
// The newest first.
const LAYOUTS = [g2, g1, idumb, g0]
