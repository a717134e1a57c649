import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { type GitOptions, runGit } from "../project/git/run-git.ts"
import type { ObjectStore } from "../project/git/write-objects.ts"
import { realPath } from "../project/project-path.ts"
import { findRepository } from "../shared/git-folders.ts"
import { readTextOrUndefined } from "../shared/lenient-files.ts"
import { HIVE_FOLDER, refuseLink } from "../store/files/hive-fs.ts"

/** The repository that stores snapshots: in the user's `.git` folder, or in `.hivemind/` if the project is not in git. */
export interface PrivateRepository {
  dir: string
  top: string
  /** The project's folder relative to `top`: "", or a path that ends with a slash. */
  prefix: string
  /** The folders of the user's repository; null if there is none. */
  user: { gitDir: string; commonDir: string } | null
  /** Identifies this work tree among those of the same repository. */
  worktree: string
}

export function findPrivateRepository(project: string): PrivateRepository {
  const root = realPath(resolve(project))
  const repository = findRepository(root)
  const user = repository?.folders ?? null
  const top = user === null || repository === undefined ? root : realPath(repository.top)
  const inside = relative(top, root).replaceAll("\\", "/")
  return {
    dir: user === null ? join(root, HIVE_FOLDER, "snapshots") : join(user.commonDir, "hivemind", "snapshots"),
    top,
    prefix: inside === "" ? "" : `${inside}/`,
    user,
    worktree: worktreeId(user === null ? "" : relative(user.commonDir, user.gitDir)),
  }
}

/** Identifies a worktree by the path of its git folder within `.git`, which stays the same if the project is moved. */
export function worktreeId(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 12)
}

/** Creates the repository if it is missing. Does not use `git init`, because several processes may do this at once. */
export async function preparePrivateRepository(repository: PrivateRepository): Promise<SnapshotStore> {
  const { dir, top, user } = repository
  refuseLink(dir, "write")
  if (!existsSync(top)) throw new Error(`${top} is gone`)
  const ask = async (...args: string[]) => (await runUserGit(repository, args)).toString("utf8")
  // These git commands fail if there is no such setting, or if the repository belongs to another user.
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

export interface SnapshotStore extends ObjectStore {
  /** Whether the file system has executable bits and symbolic links. */
  hasModesAndLinks: boolean
}

/** Sets HEAD to the user's commit. `git status` compares the index with HEAD, which is fast if they are similar. */
export function setHead({ dir }: PrivateRepository, commit: string | null): void {
  writeIfChanged(join(dir, "HEAD"), `${commit ?? "ref: refs/heads/none"}\n`)
}

/** Copies the user's ignore rules from `.git/info`, and the list of commits at which a shallow clone ends. */
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

/** Runs git in the private repository on the user's work tree, without writing to the user's repository. */
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

/** Runs git in the user's repository. Git itself finds the repository, so that its ownership checks apply. */
export function runUserGit({ top }: PrivateRepository, args: readonly string[], options: GitOptions = {}) {
  return runGit(top, [...ALWAYS, ...args], { timeoutMs: GIT_LIMIT_MS, ...options, isPrivate: true })
}

/** The git objects of these names, in the same order; undefined for missing ones. */
export async function readObjects(repository: PrivateRepository, names: readonly string[]) {
  const found: ({ type: string; content: Buffer } | undefined)[] = []
  if (names.length === 0) return found
  const input = names.map((name) => `${name}\n`).join("")
  const output = await runPrivateGit(repository, ["cat-file", "--batch"], { input })
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf("\n", at)
    const [, type = "", size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(output.toString("utf8", at, end)) ?? []
    at = end + 1
    found.push(size === undefined ? undefined : { type, content: output.subarray(at, at + Number(size)) })
    if (size !== undefined) at += Number(size) + 1
  }
  return found
}

/** The text of the config file. `copied` has a line `name value` for each setting of the user. */
function configText(format: string, copied: string): string {
  const lines = [...copied.matchAll(/^core\.(\w+) (.*)$/gm)].map(
    ([, name, value]) => `[core] ${name} = ${JSON.stringify(value)}`,
  )
  if (format !== SHA1) lines.push(`[extensions] objectFormat = ${format}`)
  // For a partial clone: with the remote `none`, which does not exist, git accepts missing objects and fetches none.
  if (copied.includes(".promisor ")) lines.push("[extensions] partialClone = none")
  const version = lines.some((line) => line.startsWith("[extensions]")) ? 1 : 0
  const own = [`repositoryFormatVersion = ${version}`, ...SETTINGS].map((setting) => `[core] ${setting}`)
  return `${[...lines, ...own, "[gc] auto = 0"].join("\n")}\n`
}

/** Replaces the file in one step, because git may be reading it for another process. */
function writeIfChanged(path: string, text: string): void {
  if (readTextOrUndefined(path) === text) return
  const fresh = `${path}.${process.pid}.new`
  writeFileSync(fresh, text)
  renameSync(fresh, path)
}

/** Turns off hooks, daemons and reflogs, and allows file names that only other operating systems refuse. */
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
/** Folders that snapshots leave out even if git does not ignore them. */
export const DEPENDENCY_FOLDERS = [
  HIVE_FOLDER,
  ...["node_modules", "bower_components", ".venv", "venv", "__pycache__", ".tox", ".pnpm-store"],
]
const SHA1 = "sha1"
const GIT_LIMIT_MS = 120_000
