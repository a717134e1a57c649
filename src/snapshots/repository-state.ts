import { readFileSync } from "node:fs"
import { join } from "node:path"
import { signatureOf } from "../project/files/walk-folder.ts"
import { GitFailure } from "../project/git/run-git.ts"
import { writeObject } from "../project/git/write-objects.ts"
import { readTextOrUndefined } from "../shared/lenient-files.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import {
  type PrivateRepository,
  readObjects,
  runPrivateGit,
  runUserGit,
  type SnapshotStore,
} from "./private-repository.ts"
import { splitByZero } from "./tracked-and-untracked-files.ts"
import type { RepositoryState } from "./worktree-state.ts"

/** Reads refs, stashes and the index of the user's repository. An unchanged index is not read again. */
export function repositoryReader(repository: PrivateRepository, store: SnapshotStore) {
  let refs: { text: string; oid: string } | undefined
  let index: { signature: string; state: RepositoryState["index"] } | undefined

  return async function readRepository(scratch: string): Promise<RepositoryState | null> {
    const { user } = repository
    if (user === null) return null
    try {
      const [listed, staged] = await Promise.all([listRefs(repository), readIndex(user.gitDir, scratch)])
      if (refs?.text !== listed) refs = { text: listed, oid: writeObject(store, "blob", Buffer.from(listed)) }
      const { head, branch } = readHead(user.gitDir, listed)
      return { head, branch, refs: refs.oid, stashes: readStashes(user.commonDir, listed), index: staged }
    } catch (error) {
      // Git refuses to read a damaged repository or one of another user. The snapshot of the files is still taken.
      if (error instanceof GitFailure && error.limitMs === null) return null
      throw error
    }
  }

  async function readIndex(gitDir: string, scratch: string): Promise<RepositoryState["index"]> {
    const signature = signatureOf(join(gitDir, "index")).signature
    if (index?.signature === signature) return index.state
    const output = await runUserGit(repository, ["ls-files", "-z", "-s"])
    const { entries, unmerged } = await runInSlices(sortEntries(output))
    const env = { GIT_INDEX_FILE: join(scratch, "staged") }
    await runPrivateGit(repository, ["update-index", "-z", "--index-info"], { env, input: entries.join("") })
    const tree = await runPrivateGit(repository, ["write-tree", "--missing-ok"], { env })
    const state = { tree: tree.toString("latin1").trim(), unmerged }
    index = { signature, state }
    return state
  }
}

/** Lists the refs, a line `id name` each, with the target of a symbolic ref. Leaves out other worktrees' own refs. */
async function listRefs(repository: PrivateRepository): Promise<string> {
  const format = "--format=%(objectname) %(refname)%(if)%(symref)%(then) %(symref)%(end)"
  return (await runUserGit(repository, ["for-each-ref", format])).toString("utf8")
}

export interface RefLine {
  oid: string
  name: string
  /** For a symbolic ref, the ref that it points to. */
  target?: string
}

export function parseRefs(text: string): RefLine[] {
  return text.split("\n").flatMap((line) => {
    const [oid, name, target] = line.split(" ")
    return oid && name ? [{ oid, name, ...(target && { target }) }] : []
  })
}

export async function readRefs(repository: PrivateRepository, oid: string): Promise<RefLine[]> {
  return parseRefs((await readObjects(repository, [oid]))[0]?.content.toString("utf8") ?? "")
}

/** Reads the branch from git's HEAD file and its commit from the list of refs, to save a git process. */
function readHead(gitDir: string, refs: string): Pick<RepositoryState, "head" | "branch"> {
  const text = readFileSync(join(gitDir, "HEAD"), "utf8").trim()
  const branch = /^ref: (.+)$/.exec(text)?.[1] ?? null
  if (branch === null) return { head: text, branch }
  return { head: parseRefs(refs).find(({ name }) => name === branch)?.oid ?? null, branch }
}

/** Reads the stashes from their reflog, newest first. */
function readStashes(commonDir: string, refs: string): RepositoryState["stashes"] {
  if (!refs.includes(" refs/stash")) return []
  // Without a reflog git knows only the newest stash, which is in the list of refs already.
  const text = readTextOrUndefined(join(commonDir, "logs", "refs", "stash")) ?? ""
  const lines = text.split("\n").flatMap((line) => {
    const [, commit, message] = /^[0-9a-f]+ ([0-9a-f]+) .*?\t(.*)$/.exec(line) ?? []
    return commit ? [{ commit, message: message ?? "" }] : []
  })
  return lines.reverse()
}

/** Parses lines `100644 <id> 0\t<path>`. A third field other than 0 marks a file with an unresolved merge conflict. */
function* sortEntries(output: Buffer): Pausing<{ entries: string[]; unmerged: string[] }> {
  const entries: string[] = []
  const unmerged = new Set<string>()
  for (const line of splitByZero(output)) {
    yield
    const tab = line.indexOf("\t")
    // Skips names that are not valid UTF-8, because they could not be restored.
    if (line.includes("\ufffd")) continue
    if (line[tab - 1] === "0") entries.push(`${line.slice(0, tab - 2)}${line.slice(tab)}\0`)
    else unmerged.add(line.slice(tab + 1))
  }
  return { entries, unmerged: [...unmerged].slice(0, MAX_UNMERGED) }
}

const MAX_UNMERGED = 1000
