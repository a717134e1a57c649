import { existsSync } from "node:fs"
import { join } from "node:path"
import { openObjects } from "../project/git/objects.ts"
import { GitFailure, runGit } from "../project/git/run-git.ts"
import { HiveError } from "../shared/error.ts"
import { findRepository } from "../shared/git-folders.ts"
import type { PrivateRepository } from "../snapshots/private-repository.ts"

/** All refs of HiveMind in a repository. */
export const REFS = "refs/hivemind"

/** The log of all clones, in the user's repository, apart from branches, index and work tree. */
export const LOG_REF = `${REFS}/log`

/** The log of a remote as of the last fetch. */
export function remoteRef(remote: string): string {
  return `${REFS}/remotes/${remote}`
}

/** The part of the log that a clone has merged. Named for the clone: a hive that was created again has merged nothing. */
export function mergedRef(clone: string, refs = REFS): string {
  return `${refs}/merged/${clone}`
}

/** The part of the log that a reset has removed from the graph: it is not merged again. */
export const RESET_REF = `${REFS}/reset`

/** Where the log of one hive is backed up: in the private repository, under refs of its own. */
export interface Backup {
  repository: PrivateRepository
  /** Such as `refs/hivemind`. */
  refs: string
}

/** The refs of the private repository are never packed, so the ref is a file. */
export function hasBackup({ repository, refs }: Backup): boolean {
  return existsSync(join(repository.dir, refs, "log"))
}

/** Path → blob. */
export type Tree = ReadonlyMap<string, string>

/** True in a repository that can be used for syncing. */
export function isInRepository(dir: string): boolean {
  return findRepository(dir)?.folders != null
}

export function requireRepository(dir: string): void {
  if (isInRepository(dir)) return
  throw new HiveError({
    code: "git_failed",
    what: "There is nothing to sync with.",
    why: "The log of all clones is kept in a git repository, and this folder is in none.",
    use_instead: "Run `git init` there, or name a project in a repository with `--dir`.",
    evidence: dir,
  })
}

/** The git objects that syncing needs: of the user's repository, or of a backup. Must be closed. */
export function openRepository(from: string | Backup) {
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

  /**
   * Deletes a ref that leads to no commit: junk in its file, or an object that is gone. True if it did. Git refuses to
   * delete or move a ref that it cannot read, but replaces it by a symbolic ref.
   */
  async function removeUnreadable(ref: string): Promise<boolean> {
    if ((await resolve(ref)) !== undefined) return false
    let warning = ""
    const onWarning = (text: string) => {
      warning = text
    }
    const listed = await runGit(dir, ["for-each-ref", "--format=%(refname)", ref], { onWarning, env: place })
    const isThere = listed.toString("utf8").trim() === ref || warning.includes(`broken ref ${ref}\n`)
    // Again: another process may have created it in between.
    if (!isThere || (await resolve(ref)) !== undefined) return false
    await git(["symbolic-ref", ref, UNREADABLE])
    await git(["update-ref", "--no-deref", "-d", ref])
    return true
  }

  async function readTree(commit: string | undefined): Promise<Map<string, string>> {
    const files = new Map<string, string>()
    const folders = commit === undefined ? [] : await rowsOf(`${commit}^{tree}`)
    // Anything else in the tree is not ours.
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
    resolve,
    removeUnreadable,
    readTree,
    readBlob: async (id: string): Promise<Buffer> => (await objects.read(id))?.content ?? missing(id),
    close: objects.close,
    /**
     * A backup borrows the user's objects, and git does not write an object that exists there. The blank line makes it a
     * different one, so that the backup does not depend on the shared log.
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
        // A partial clone fetches a blob when it is read; `mktree` alone would call it missing.
        ["mktree", "--missing", "--batch"],
        Array.from(folders.values(), (rows) => rows.join("")).join("\n"),
      )
      const ids = made.trim().split("\n")
      const rows = Array.from(folders.keys(), (folder, n) => `040000 tree ${ids[n]}\t${folder}\n`)
      return (await git(["mktree", "--missing"], rows.join(""))).trim()
    },
    /** The same tree and parents make the same commit in every clone, so that equal merges are one. */
    async commit(tree: string, parents: readonly string[], message: string, at?: string): Promise<string> {
      const date = at ?? (await latestDate(parents))
      // Without a past, old versions of a backup's files go when the private repository is pruned.
      const past = isBackup ? [] : [...parents].sort()
      const dated = { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
      const args = ["commit-tree", tree, ...past.flatMap((parent) => ["-p", parent])]
      return (await runGit(dir, [...args, "--no-gpg-sign"], { input: message, env: dated }))
        .toString("utf8")
        .trim()
    },
    /** False if another process has moved it meanwhile. */
    async move(ref: string, to: string, from: string | undefined): Promise<boolean> {
      try {
        // An empty old value says that the ref must not exist, whichever hash the repository uses.
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

interface TreeRow {
  mode: string
  name: string
  id: string
}

/** `<mode> <name>\0<id>`, one after another. */
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

// Never exists itself.
const UNREADABLE = "refs/hivemind/unreadable"
const AS_HIVEMIND = {
  GIT_AUTHOR_NAME: "HiveMind",
  GIT_AUTHOR_EMAIL: "hivemind@localhost",
  GIT_COMMITTER_NAME: "HiveMind",
  GIT_COMMITTER_EMAIL: "hivemind@localhost",
}
