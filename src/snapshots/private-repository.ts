import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { type GitOptions, runGit } from "../project/git/run-git.ts"
import type { ObjectStore } from "../project/git/write-objects.ts"
import { realPath } from "../project/project-path.ts"
import { findRepository } from "../shared/git-folders.ts"
import { readTextOrUndefined } from "../shared/lenient-files.ts"
import { HIVE_FOLDER, refuseLink } from "../store/files/hive-fs.ts"

/**
 * The bare repository that holds the snapshots of a work tree. It lies in git's own folder, where no ordinary git command
 * shows or pushes it; in a folder without git it lies in `.hivemind/`.
 */
export interface PrivateRepository {
  dir: string
  /** The top of the work tree. */
  top: string
  /** Where the project lies in it: "", or a path that ends with a slash. */
  prefix: string
  /** Of the user's repository; null where there is none. */
  user: { gitDir: string; commonDir: string } | null
  /** Tells this work tree from others of the same repository. */
  worktree: string
}

/** Where the private repository of a project is, or would be. Reads only. */
export function findPrivateRepository(project: string): PrivateRepository {
  const root = realPath(resolve(project))
  const repository = findRepository(root)
  const user = repository?.folders ?? null
  const top = user === null || repository === undefined ? root : realPath(repository.top)
  const inside = relative(top, root).replaceAll("\\", "/")
  const name = user === null ? "" : relative(user.commonDir, user.gitDir)
  return {
    dir: user === null ? join(root, HIVE_FOLDER, "snapshots") : join(user.commonDir, "hivemind", "snapshots"),
    top,
    prefix: inside === "" ? "" : `${inside}/`,
    user,
    worktree: worktreeId(name),
  }
}

/** Made of the name that git has for it, relative to the common folder, so that the project can be moved. */
export function worktreeId(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 12)
}

/**
 * Creates it where it is missing, and brings over the settings that decide how git reads files. Its files are written
 * without `git init`, so that several processes can do it at once, and one that is killed leaves nothing half done.
 */
export async function preparePrivateRepository(repository: PrivateRepository): Promise<SnapshotStore> {
  const { dir, top, user } = repository
  refuseLink(dir, "write")
  if (!existsSync(top)) throw new Error(`${top} is gone`)
  const ask = async (...args: string[]) => (await runUserGit(repository, args)).toString("utf8")
  // Git fails where nothing is set, and for the repository of another user.
  const format = user === null ? SHA1 : await ask("rev-parse", "--show-object-format").catch(() => SHA1)
  const copied = user === null ? "" : await ask("config", "--get-regexp", COPIED).catch(() => "")
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (const folder of ["records", "sessions", "info", "objects/info", "objects/pack", "refs"])
    mkdirSync(join(dir, folder), { recursive: true })
  writeIfChanged(join(dir, "config"), configText(format.trim(), copied))
  writeIfChanged(join(dir, "info", "attributes"), EXACT_BYTES)
  if (user !== null)
    writeIfChanged(join(dir, "objects", "info", "alternates"), `${join(user.commonDir, "objects")}\n`)
  copyUserRules(repository)
  setHead(repository, null)
  const hasModesAndLinks = !/^core\.(filemode|symlinks) (false|no|off|0)$/im.test(copied)
  return { dir, hash: format.trim() === SHA1 ? SHA1 : "sha256", hasModesAndLinks, newBytes: 0 }
}

/** Where the snapshots of a work tree put their objects. */
export interface SnapshotStore extends ObjectStore {
  /** The disk tells whether a file can be run, and has links. */
  hasModesAndLinks: boolean
}

/** `git status` also compares the index with HEAD. That result is not used; with the user's commit it is found fastest. */
export function setHead({ dir }: PrivateRepository, commit: string | null): void {
  writeIfChanged(join(dir, "HEAD"), `${commit ?? "ref: refs/heads/none"}\n`)
}

/** The user's ignore rules that lie in git's folder, and where a shallow clone ends. Cheap enough for every snapshot. */
export function copyUserRules({ dir, user }: PrivateRepository): void {
  const ofUser = (...path: string[]) => (user && readTextOrUndefined(join(user.commonDir, ...path))) ?? ""
  const rules = [ofUser("info", "exclude"), ...DEPENDENCY_FOLDERS.map((name) => `${name}/`), ""]
  writeIfChanged(excludeFile(dir), rules.join("\n"))
  const shallow = ofUser("shallow")
  if (shallow !== "") writeIfChanged(join(dir, "shallow"), shallow)
  else rmSync(join(dir, "shallow"), { force: true })
}

export function excludeFile(dir: string): string {
  return join(dir, "info", "exclude")
}

/** Runs git in the private repository, with the user's work tree. Nothing of the user's is written. */
export function runPrivateGit(
  { dir, top }: PrivateRepository,
  args: readonly string[],
  { env = {}, ...options }: GitOptions = {},
): Promise<Buffer> {
  const place = { GIT_DIR: dir, GIT_WORK_TREE: top, GIT_LITERAL_PATHSPECS: "1", GIT_NO_LAZY_FETCH: "1" }
  return runGit(top, [...ALWAYS, ...args], {
    timeoutMs: GIT_LIMIT_MS,
    ...options,
    isPrivate: true,
    env: { ...place, ...env },
  })
}

/** Runs git in the user's repository. Git finds it by itself, so that its checks of ownership apply. */
export function runUserGit({ top }: PrivateRepository, args: readonly string[], options: GitOptions = {}) {
  return runGit(top, [...ALWAYS, ...args], { timeoutMs: GIT_LIMIT_MS, ...options, isPrivate: true })
}

/** The objects of given names in the same order; undefined for those that are missing. */
export async function readObjects(
  repository: PrivateRepository,
  names: readonly string[],
): Promise<({ type: string; content: Buffer } | undefined)[]> {
  if (names.length === 0) return []
  const input = names.map((name) => `${name}\n`).join("")
  const output = await runPrivateGit(repository, ["cat-file", "--batch"], { input })
  const found: ({ type: string; content: Buffer } | undefined)[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf("\n", at)
    const [, type = "", size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(output.toString("utf8", at, end)) ?? []
    at = end + 1
    found.push(size === undefined ? undefined : { type, content: output.subarray(at, at + Number(size)) })
    if (size !== undefined) at += Number(size) + 1
  }
  return found
}

/** `copied` has a line `name value` per setting. */
function configText(format: string, copied: string): string {
  const lines = [...copied.matchAll(/^core\.(\w+) (.*)$/gm)].map(
    ([, name, value]) => `[core] ${name} = ${JSON.stringify(value)}`,
  )
  if (format !== SHA1) lines.push(`[extensions] objectFormat = ${format}`)
  // The name of no remote: git knows that objects may be missing, and fetches nothing.
  if (copied.includes(".promisor ")) lines.push("[extensions] partialClone = none")
  const version = lines.some((line) => line.startsWith("[extensions]")) ? 1 : 0
  const own = [`repositoryFormatVersion = ${version}`, ...SETTINGS].map((setting) => `[core] ${setting}`)
  return `${[...lines, ...own, "[gc] auto = 0"].join("\n")}\n`
}

/** In one step: git may be reading it for another process. */
function writeIfChanged(path: string, text: string): void {
  if (readTextOrUndefined(path) === text) return
  const fresh = `${path}.${process.pid}.new`
  writeFileSync(fresh, text)
  renameSync(fresh, path)
}

/** No hooks, no daemon, no log of refs; names that only other systems refuse are kept. */
const SETTINGS = [
  ...["bare = false", "hooksPath = /dev/null", "fsmonitor = false", "untrackedCache = false"],
  ...["splitIndex = false", "protectNTFS = false", "protectHFS = false", "looseCompression = 1"],
  ...["safecrlf = false", "logAllRefUpdates = false"],
]
const COPIED =
  "^(core\\.(filemode|symlinks|ignorecase|precomposeunicode|excludesfile)|remote\\..*\\.promisor)$"
const ALWAYS = "core.fsmonitor=false core.hooksPath=/dev/null maintenance.auto=false"
  .split(" ")
  .flatMap((setting) => ["-c", setting])
const EXACT_BYTES = "* -text -filter -ident -working-tree-encoding\n"
/** Left out even where git does not ignore them. */
export const DEPENDENCY_FOLDERS = [
  HIVE_FOLDER,
  ...["node_modules", "bower_components", ".venv", "venv", "__pycache__", ".tox", ".pnpm-store"],
]
const SHA1 = "sha1"
const GIT_LIMIT_MS = 120_000
