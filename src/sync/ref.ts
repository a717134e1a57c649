import { existsSync } from "node:fs"
import { join } from "node:path"
import { openObjects } from "../project/git/objects.ts"
import { GitFailure, runGit } from "../project/git/run-git.ts"
import { HiveError } from "../shared/error.ts"
import { findRepository } from "../shared/git-folders.ts"
import type { PrivateRepository } from "../snapshots/private-repository.ts"
import { explained } from "./git-errors.ts"

/** The prefix of all refs that HiveMind creates in a repository. */
export const REFS = "refs/hivemind"

/** The ref of the repository's log, which contains the entries of all clones. */
export const LOG_REF = `${REFS}/log`

/** Returns the ref of a remote's log, as of the last fetch. */
export function remoteRef(remote: string): string {
  return `${REFS}/remotes/${remote}`
}

/** The ref of the log's last commit that a clone has merged. A hive that was created again merges all of them. */
export function mergedRef(clone: string, refs = REFS): string {
  return `${refs}/merged/${clone}`
}

/** The commit that the log had at the last reset. Its entries are never merged again. */
export const RESET_REF = `${REFS}/reset`

/** A hive's backup in the private repository. */
export interface Backup {
  repository: PrivateRepository
  /** The prefix of the backup's refs, for example `refs/hivemind`. */
  refs: string
}

/** Looks for the refs' files, because the private repository's refs are never packed. */
export function hasBackup({ repository, refs }: Backup): boolean {
  return ["log", "local"].some((name) => existsSync(join(repository.dir, refs, name)))
}

/** The ids of blobs by their path. */
export type Tree = ReadonlyMap<string, string>

export function isInRepository(dir: string): boolean {
  return findRepository(dir)?.folders != null
}

export function requireRepository(dir: string): void {
  if (isInRepository(dir)) return
  throw new HiveError({
    code: "git_failed",
    what: "There is nothing to sync with.",
    why: "The log of all clones is kept in a git repository, and this folder is not in one.",
    use_instead: "Run `git init` there, or name a project in a repository with `--dir`.",
    evidence: dir,
  })
}

/** Runs a job on the user's repository or a backup, and explains failures of git. */
export async function withRepository<T>(
  from: string | Backup,
  doing: string,
  job: (repository: Repository) => Promise<T>,
): Promise<T> {
  const repository = openRepository(from)
  try {
    return await job(repository)
  } catch (error) {
    throw explained(error, doing)
  } finally {
    repository.close()
  }
}

function openRepository(from: string | Backup) {
  const isBackup = typeof from !== "string"
  const dir = isBackup ? from.repository.dir : from
  const refs = isBackup ? from.refs : REFS
  const place: Record<string, string> = isBackup ? { GIT_DIR: dir } : {}
  const objects = openObjects(dir, place)
  const env = { ...place, ...AS_HIVEMIND }
  const git = async (args: readonly string[], input?: string | Buffer) =>
    (await runGit(dir, args, { ...(input !== undefined && { input }), env })).toString("utf8")

  async function resolve(ref: string): Promise<string | undefined> {
    return (await objects.read(`${ref}^{commit}`))?.id
  }

  /** Deletes a ref whose commit is missing. Git can delete such a ref only after making it a symbolic one. */
  async function removeUnreadable(ref: string): Promise<boolean> {
    if ((await resolve(ref)) !== undefined) return false
    let warning = ""
    const onWarning = (text: string) => {
      warning = text
    }
    const listed = await runGit(dir, ["for-each-ref", "--format=%(refname)", ref], { onWarning, env: place })
    const isThere = listed.toString("utf8").trim() === ref || warning.includes(`broken ref ${ref}\n`)
    // Checks again, because another process may have created the ref meanwhile.
    if (!isThere || (await resolve(ref)) !== undefined) return false
    await git(["symbolic-ref", ref, UNREADABLE])
    await git(["update-ref", "--no-deref", "-d", ref])
    return true
  }

  async function readTree(commit: string | undefined): Promise<Map<string, string>> {
    const files = new Map<string, string>()
    const folders = commit === undefined ? [] : await rowsOf(`${commit}^{tree}`)
    // Skips other rows, because HiveMind did not write them.
    for (const folder of folders.filter(({ mode }) => mode === "40000"))
      for (const { name, id, mode } of await rowsOf(folder.id))
        if (mode === "100644") files.set(`${folder.name}/${name}`, id)
    return files
  }

  async function rowsOf(tree: string): Promise<TreeRow[]> {
    const found = await objects.read(tree)
    return found === undefined ? missing(tree) : parseTree(found.content, found.id.length / 2)
  }

  return {
    dir,
    logRef: `${refs}/log`,
    mergedRef: (clone: string) => mergedRef(clone, refs),
    /** In a backup: the ref of the data that is not in the log. */
    localRef: `${refs}/local`,
    resolve,
    removeUnreadable,
    readTree,
    readBlob: async (id: string): Promise<Buffer> => (await objects.read(id))?.content ?? missing(id),
    close: objects.close,
    /**
     * Git writes no object that exists in the user's repository, whose objects a backup shares. The newline makes
     * this a different object, so that the backup survives if the shared log is deleted.
     */
    writeBlob: async (content: string): Promise<string> =>
      (await git(["hash-object", "-w", "--stdin"], isBackup ? `${content}\n` : content)).trim(),
    async writeTree(tree: Tree): Promise<string> {
      const folders = new Map<string, string[]>()
      for (const [path, blob] of tree) {
        const [folder, name] = splitPath(path)
        folders.set(folder, [...(folders.get(folder) ?? []), `100644 blob ${blob}\t${name}\n`])
      }
      const made = await git(
        // A partial clone lacks some blobs until they are read. Without `--missing`, mktree would fail there.
        ["mktree", "--missing", "--batch"],
        Array.from(folders.values(), (rows) => rows.join("")).join("\n"),
      )
      const ids = made.trim().split("\n")
      const rows = Array.from(folders.keys(), (folder, n) => `040000 tree ${ids[n]}\t${folder}\n`)
      return (await git(["mktree", "--missing"], rows.join(""))).trim()
    },
    /** Makes a commit that is the same in every clone with the same tree and parents. */
    async commit(tree: string, parents: readonly string[], message: string, at?: string): Promise<string> {
      const date = at ?? (await latestDate(parents))
      // Commits of a backup have no parents, so that pruning the private repository removes old versions.
      const past = isBackup ? [] : [...parents].sort()
      const dated = { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
      const args = ["commit-tree", tree, ...past.flatMap((parent) => ["-p", parent])]
      return (await runGit(dir, [...args, "--no-gpg-sign"], { input: message, env: dated }))
        .toString("utf8")
        .trim()
    },
    /** Returns false if another process moved the ref meanwhile. */
    async move(ref: string, to: string, from: string | undefined): Promise<boolean> {
      try {
        // An empty old value means that the ref must not exist.
        await git(["update-ref", "--no-deref", ref, to, from ?? ""])
        return true
      } catch (error) {
        if (error instanceof GitFailure && (await resolve(ref)) !== from) return false
        throw error
      }
    },
    async isAncestor(older: string, newer: string): Promise<boolean> {
      try {
        await git(["merge-base", "--is-ancestor", older, newer])
        return true
      } catch (error) {
        if (error instanceof GitFailure && error.exit === 1) return false
        throw error
      }
    },
  }

  async function latestDate(commits: readonly string[]): Promise<string> {
    const dates = (await git(["show", "-s", "--format=%ct", ...commits])).trim().split("\n").map(Number)
    return `@${Math.max(...dates)} +0000`
  }
}

export type Repository = ReturnType<typeof openRepository>

function splitPath(path: string): [string, string] {
  const slash = path.lastIndexOf("/")
  return [path.slice(0, slash), path.slice(slash + 1)]
}

type TreeRow = { mode: string; name: string; id: string }

/** Parses the rows of a git tree, `<mode> <name>\0<id>`. */
function parseTree(bytes: Buffer, idBytes: number): TreeRow[] {
  const rows: TreeRow[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const zero = bytes.indexOf(0, space)
    const end = zero + 1 + idBytes
    const mode = bytes.toString("utf8", at, space)
    const name = bytes.toString("utf8", space + 1, zero)
    rows.push({ mode, name, id: bytes.toString("hex", zero + 1, end) })
    at = end
  }
  return rows
}

function missing(id: string): never {
  throw new GitFailure(["cat-file"], 1, `fatal: the object ${id} is not in the repository`)
}

// Used as the symbolic target when an unreadable ref is deleted. This ref never exists.
const UNREADABLE = "refs/hivemind/unreadable"
const AS_HIVEMIND = {
  GIT_AUTHOR_NAME: "HiveMind",
  GIT_AUTHOR_EMAIL: "hivemind@localhost",
  GIT_COMMITTER_NAME: "HiveMind",
  GIT_COMMITTER_EMAIL: "hivemind@localhost",
}
