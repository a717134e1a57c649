import { existsSync, lstatSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { signOf } from "../../store/files/file-sign.ts"
import { type Migration, readMigrations } from "../../store/migrations.ts"
import type { OldFile } from "../older/old-file.ts"

/**
 * Tells of a file whether a migration has read it as it is now. Switching branches brings a file back as any earlier one
 * had it, so it is compared with every copy that is kept of it, and with every sign that was noted.
 */
export function takenFiles(home: string): (file: OldFile) => boolean {
  const signs = new Map<string, Set<string>>()
  const copies = new Map<string, string[]>()
  const waiting = new Map<string, string>()
  for (const { state, moves, stays, marks = {} } of readMigrations(home)) {
    if (state !== "done" && state !== "moving") continue
    for (const [name, sign] of Object.entries(stays))
      signs.set(name, (signs.get(name) ?? new Set()).add(sign))
    for (const { from, to } of moves) copies.set(from, [...(copies.get(from) ?? []), join(home, to)])
    if (state === "moving") for (const [name, mark] of Object.entries(marks)) waiting.set(name, mark)
  }
  return ({ path }) => {
    const name = nameIn(home, path)
    if (waiting.get(name) === markOf(path)) return true
    const size = sizeOf(path)
    const sameSize = (copies.get(name) ?? []).filter((copy) => sizeOf(copy) === size)
    if (sameSize.length === 0 && !signs.has(name)) return false
    const sign = signOf(path)
    if (sign === undefined) return false
    return signs.get(name)?.has(sign) === true || sameSize.some((copy) => signOf(copy) === sign)
  }
}

/** The signs of files that stay where they are, by name. */
export function signsOf(home: string, files: readonly OldFile[]): Migration["stays"] {
  const signs = files.flatMap(({ path, stays, isUnreadable }): [string, string][] => {
    const sign = stays && isUnreadable !== true ? signOf(path) : undefined
    return sign === undefined ? [] : [[nameIn(home, path), sign]]
  })
  return Object.fromEntries(signs)
}

/** How the files that will be kept aside are before they are read: one that is written meanwhile is not moved unread. */
export function marksOf(home: string, files: readonly OldFile[]): Record<string, string> {
  const moving = files.filter(({ stays }) => !stays)
  return Object.fromEntries(moving.map(({ path }) => [nameIn(home, path), markOf(path)]))
}

/** Where files are kept beside. */
export function movesFor(home: string, files: readonly OldFile[]): Migration["moves"] {
  return files.flatMap(({ name, stays }) => (stays ? [] : [{ from: name, to: freeName(home, name) }]))
}

/** Older tools have left files of that ending themselves. */
function freeName(home: string, name: string): string {
  for (let n = 1; ; n++) {
    const free = n === 1 ? `${name}.bak` : `${name}.bak-${n}`
    if (!existsSync(join(home, free))) return free
  }
}

/** Files whose records are in the graph, while they could not be moved yet. */
export function unmovedFiles(home: string): string[] {
  const moving = readMigrations(home).filter(({ state }) => state === "moving")
  return moving.flatMap(({ moves, marks = {} }) =>
    moves.flatMap(({ from }) => (markOf(join(home, from)) === marks[from] ? [from] : [])),
  )
}

/** Changes with every write, and costs nothing however large the file is. */
export function markOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.size}-${stat.mtimeMs}-${stat.ino}`
}

/** Another project's file has the way there for a name. */
export function nameIn(home: string, path: string): string {
  return relative(home, path).split(sep).join("/")
}

function sizeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.size
}
