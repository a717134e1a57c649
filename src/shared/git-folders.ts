import { existsSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { listNamesOrEmpty, readTextOrUndefined } from "./lenient-files.ts"

/** A git repository, seen from one worktree. It is read without running git, to keep the plugin's start fast. */
export interface Repository {
  top: string
  /** `gitDir` is this worktree's own (`HEAD`, `index`), `commonDir` the shared one. Null if `.git` is damaged. */
  folders: { gitDir: string; commonDir: string } | null
  /** The main worktree. For a bare repository, its git folder. */
  main: string
}

/** Finds the repository that contains a folder. Never throws: unreadable files count as missing. */
export function findRepository(from: string): Repository | undefined {
  for (const folder of upwards(from)) {
    const found = repositoryAt(folder)
    if (found !== undefined) return found
  }
  return undefined
}

/** Yields a folder and its parents, up to `last` or the root. */
export function* upwards(from: string, last?: string): Generator<string, void, void> {
  for (let dir = from; ; dir = dirname(dir)) {
    yield dir
    if (dir === last || dirname(dir) === dir) return
  }
}

/** The top folders of all linked worktrees that git has registered. Some may no longer exist. */
export function linkedWorktrees(commonDir: string): string[] {
  const list = join(commonDir, "worktrees")
  return listNamesOrEmpty(list).flatMap((name) => {
    const file = readTextOrUndefined(join(list, name, "gitdir"))?.trim()
    return file ? [dirname(resolve(list, name, file))] : []
  })
}

function repositoryAt(folder: string): Repository | undefined {
  const git = join(folder, ".git")
  if (isGitFolder(git)) return { top: folder, main: folder, folders: { gitDir: git, commonDir: git } }
  const text = readTextOrUndefined(git)
  if (text !== undefined) return behindGitFile(folder, text) ?? { top: folder, main: folder, folders: null }
  // A bare repository has no `.git`. A folder named `.git` belongs to the worktree above it.
  if (basename(folder) === ".git" || !isGitFolder(folder)) return undefined
  return { top: folder, main: folder, folders: { gitDir: folder, commonDir: folder } }
}

/** Follows a `.git` file (`gitdir: …`) of a linked worktree, a submodule or a `--separate-git-dir` repository. */
function behindGitFile(folder: string, text: string): Repository | undefined {
  const target = /^gitdir: (.+)/.exec(text)?.[1]?.trim()
  if (target === undefined) return undefined
  const gitDir = resolve(folder, target)
  const shared = readTextOrUndefined(join(gitDir, "commondir"))?.trim()
  const commonDir = shared ? resolve(gitDir, shared) : gitDir
  if (!isGitFolder(commonDir)) return undefined
  const isMain = commonDir === gitDir && coreSetting(commonDir, "bare") !== "true"
  return { top: folder, main: isMain ? folder : mainOf(commonDir), folders: { gitDir, commonDir } }
}

function mainOf(commonDir: string): string {
  if (basename(commonDir) === ".git") return dirname(commonDir)
  const worktree = coreSetting(commonDir, "worktree")
  const main = worktree === undefined ? undefined : resolve(commonDir, worktree)
  return main !== undefined && isFolder(main) ? main : commonDir
}

/** Reads a setting of section `core`. `config.worktree`, which git uses for settings per worktree, wins. */
function coreSetting(commonDir: string, name: string): string | undefined {
  let value: string | undefined
  for (const file of ["config", "config.worktree"]) {
    let section = ""
    for (const line of (readTextOrUndefined(join(commonDir, file)) ?? "").split("\n")) {
      const [, head, rest = line] = /^\s*\[([^\]]*)\](.*)/.exec(line) ?? []
      if (head !== undefined) section = head.trim().toLowerCase()
      const [, key, text = ""] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(rest) ?? []
      if (section === "core" && key?.toLowerCase() === name) value = plainValue(text)
    }
  }
  return value
}

function plainValue(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  return quoted === undefined ? text.replace(/\s*[#;].*$/, "") : quoted.replaceAll(/\\(.)/g, "$1")
}

function isGitFolder(path: string): boolean {
  return existsSync(join(path, "HEAD")) && isFolder(join(path, "objects"))
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false // The path is missing or not readable.
  }
}
