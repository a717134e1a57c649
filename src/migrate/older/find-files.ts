import { accessSync, constants, readdirSync, realpathSync, statSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import { isOfOlderTool } from "../../store/older-tool.ts"
import { g0 } from "./g0.ts"
import { g1 } from "./g1.ts"
import { g2 } from "./g2.ts"
import { idumb } from "./idumb.ts"
import { type Layout, STEPS } from "./layout.ts"
import type { OldFile } from "./old-file.ts"

/**
 * The files of older tools in a project, in the order in which they are read. Looks at names and beginnings only. `denied`
 * names folders that are known to be theirs, and that nobody could look into.
 */
export function findOldFiles(project: string, denied: ReadonlySet<string> = new Set()): OldFile[] {
  const all = LAYOUTS.flatMap((layout) => filesOf(project, layout))
  const isTelling = ({ isCommon, file }: Candidate) => !isCommon || denied.has(file.name)
  const telling = new Set(all.filter(isTelling).map(({ folder }) => folder))
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
    const listed = names === undefined ? [""] : namesIn(base, names)
    if (listed === DENIED) return deniedFolder(project, base, { layout, folder })
    return listed.flatMap((inside): Candidate[] => {
      const found = join(base, inside)
      const stat = statOf(found)
      if (stat === undefined) return []
      if (stat === DENIED) return deniedFolder(project, dirname(found), { layout, folder })
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
        ...(why === UNREADABLE ? { isUnreadable: true as const } : {}),
      }
      return [{ folder, isCommon, file: { ...file, read: why === undefined ? read : leftOut(why) } }]
    })
  })
}

/** Nobody knows what is in it. HiveMind has folders of the same names: it counts beside other files of the layout. */
function deniedFolder(
  project: string,
  path: string,
  { layout, folder }: { layout: string; folder: string },
): Candidate[] {
  const stat = statOf(path)
  if (stat === undefined || path === project) return []
  if (stat === DENIED) return deniedFolder(project, dirname(path), { layout, folder })
  const file: OldFile = {
    ...{ layout, path, name: relative(project, path).split(sep).join("/"), at: stat.mtime.toISOString() },
    ...{ step: STEPS.length, stays: true, isUnreadable: true, isDenied: true },
    read: leftOut(DENIED),
  }
  return [{ folder, isCommon: folder !== ".idumb", file }]
}

function whyNotRead(project: string, path: string, isFile: boolean, size: number): string | undefined {
  if (!isInside(project, path)) return "a link that leads out of the project"
  if (!isFile) return "not a file"
  if (!isReadable(path)) return UNREADABLE
  return size === 0 ? EMPTY : undefined
}

function leftOut(why: string): OldFile["read"] {
  return async function* ({ name }) {
    if (why === UNREADABLE || why === DENIED) yield { from: name, quarantine: why, original: undefined }
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
  } catch (error) {
    return isDenied(error) ? DENIED : undefined // Not there.
  }
}

function namesIn(folder: string, names: RegExp): string[] | typeof DENIED {
  try {
    return readdirSync(folder)
      .filter((name) => names.test(name))
      .sort()
  } catch (error) {
    return isDenied(error) ? DENIED : [] // There is no such folder.
  }
}

function isDenied(error: unknown): boolean {
  return systemCode(error) === "EACCES" || systemCode(error) === "EPERM"
}

const EMPTY = "an empty file"
// It is tried again by the next run.
const UNREADABLE = "cannot be read; it stays where it is"
const DENIED = "a folder that cannot be read; nobody knows what is in it"
// The newest first.
const LAYOUTS = [g2, g1, idumb, g0]
