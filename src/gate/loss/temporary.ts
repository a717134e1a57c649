import { readdir } from "node:fs/promises"
import { posix } from "node:path"
import { isGlob } from "../../shared/glob.ts"
import { isMadeByName, isTemporary } from "../shell/made-files.ts"
import { described } from "./described.ts"
import { isMeant } from "./files-hit.ts"
import { isThere, ownStatOf, pathspecs } from "./on-disk.ts"
import { changesWithin, repositoryLoss } from "./repository.ts"
import type { LossPlace } from "./what-is-lost.ts"

type IsYoung = LossPlace["isYoung"]

/**
 * What is lost where something in a temporary folder is deleted; `path` may be a pattern. Loose files there are nobody's
 * work. A repository is, whether all of it goes, some of it, or a folder that it lies in, unless this session made it.
 * Looked at are so many names, the nearest first: what lies behind them passes.
 */
export async function temporaryLoss(
  path: string,
  whole: boolean,
  isYoung: IsYoung,
): Promise<string | undefined> {
  const walk: Walk = { left: MAX_NAMES }
  const hit = isGlob(path) ? await namesMeant(path, walk) : [path]
  const inside = new Map<string, string[]>()
  for (const one of hit) {
    const repository = temporaryRepository(posix.dirname(one), isYoung)
    if (repository !== undefined) inside.set(repository, [...(inside.get(repository) ?? []), one])
  }
  for (const [repository, paths] of inside) {
    const lost = await lostInside(repository, paths, isYoung)
    if (lost !== undefined) return lost
  }
  const repositories = whole ? await repositoriesIn(hit, isYoung, walk) : []
  for (const repository of repositories.slice(0, MAX_ASKED)) {
    const lost = await repositoryLoss(repository)
    if (lost !== undefined) return lost
  }
  return repositories.length > MAX_ASKED
    ? `deletes more repositories than git can be asked about (${path})`
    : undefined
}

/** The repository in a temporary folder that this folder is or lies in, if it is of before this session. */
export function temporaryRepository(folder: string, isYoung: IsYoung): string | undefined {
  for (let at = folder; isTemporary(at); at = posix.dirname(at))
    if (isThere(`${at}/.git`)) return isMadeNow(at, isYoung) ? undefined : at
  return undefined
}

interface Walk {
  left: number
}

async function lostInside(
  repository: string,
  paths: readonly string[],
  isYoung: IsYoung,
): Promise<string | undefined> {
  const names = paths.map((path) => posix.relative(repository, path))
  const specs = names.length > MAX_SPECS ? [] : names.flatMap((name) => pathspecs(name, true))
  const lost: string[] = []
  for (const { index, path } of (await changesWithin(repository, specs)) ?? []) {
    const isMeant = specs.length > 0 || names.some((name) => path === name || path.startsWith(`${name}/`))
    if (!isMeant || (index === "?" && isMadeByName(path))) continue
    const file = posix.join(repository, path)
    if (!isYoung(file)) lost.push(file)
  }
  return lost.length === 0 ? undefined : `deletes ${described(lost)}, in no commit of its repository`
}

/** Breadth first, so that the nearest are found however much lies below. */
async function repositoriesIn(hit: readonly string[], isYoung: IsYoung, walk: Walk): Promise<string[]> {
  const found: string[] = []
  const folders = hit.filter((path) => ownStatOf(path)?.isDirectory())
  for (const folder of folders) {
    if (isThere(`${folder}/.git`)) {
      if (!isMadeNow(folder, isYoung)) found.push(folder)
      continue
    }
    for (const entry of await entriesOf(folder, walk))
      if (entry.isDirectory() && entry.name !== "node_modules") folders.push(posix.join(folder, entry.name))
  }
  return found
}

/** What a pattern means on disk; `**` is any number of folders. */
async function namesMeant(pattern: string, walk: Walk): Promise<string[]> {
  const segments = pattern.split("/")
  const fixed = segments.findIndex(isGlob)
  const found = new Set<string>()
  const open = [{ folder: segments.slice(0, fixed).join("/") || "/", names: segments.slice(fixed) }]
  for (const { folder, names } of open) {
    const [name = "", ...rest] = names
    if (name === "**") open.push({ folder, names: rest })
    for (const entry of await entriesOf(folder, walk)) {
      const at = posix.join(folder, entry.name)
      if (name === "**") {
        if (entry.isDirectory() && entry.name !== ".git") open.push({ folder: at, names })
      } else if (isMeant(name, entry.name)) {
        if (rest.length === 0) found.add(at)
        else if (entry.isDirectory()) open.push({ folder: at, names: rest })
      }
    }
  }
  return [...found]
}

async function entriesOf(folder: string, walk: Walk) {
  if (walk.left <= 0) return []
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    walk.left -= entries.length + 1
    return entries.slice(0, MAX_NAMES)
  } catch {
    return [] // Not to be read, or gone meanwhile: then nothing is deleted there either.
  }
}

/** git writes its description once, when the repository is made; of a linked worktree there is one file only. */
function isMadeNow(repository: string, isYoung: IsYoung): boolean {
  return isYoung(`${repository}/.git/description`) || isYoung(`${repository}/.git`)
}

const MAX_NAMES = 3000
const MAX_ASKED = 30
const MAX_SPECS = 200
