import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GitFailure } from "../project/git/run-git.ts"
import { createQueue } from "../shared/queue.ts"
import { runInSlices } from "../shared/slices.ts"
import { type ExtraLimits, extraTree } from "./extra-tree.ts"
import { type FileLimits, filesTree, indexOf } from "./files-tree.ts"
import { objectOwner } from "./own-objects.ts"
import {
  copyUserRules,
  findPrivateRepository,
  type PrivateRepository,
  preparePrivateRepository,
  setHead,
} from "./private-repository.ts"
import { repositoryReader } from "./repository-state.ts"
import type { TreeState } from "./state.ts"

export type SnapshotLimits = FileLimits & ExtraLimits

/** Takes snapshots of a work tree. Snapshots of one process wait for each other; those of several do not disturb. */
export function snapshotTaker(project: string, limits: () => SnapshotLimits) {
  const queue = createQueue()
  let opened: Opened | undefined
  let current = ""

  async function take(isSecond = false): Promise<TreeState> {
    const repository = findPrivateRepository(project)
    const { dir, worktree } = repository
    try {
      // A folder may become a repository, and a repository may be made anew.
      if (opened?.repository.dir !== dir || !existsSync(join(dir, "HEAD"))) opened = await open(repository)
      const state = await takeWith(opened)
      setHead(repository, state.repository?.head ?? null)
      const text = JSON.stringify({ state })
      // Pruning keeps its objects: the next snapshot builds on them.
      if (text !== current) writeFileSync(join(dir, "sessions", `current-${worktree}.json`), text)
      current = text
      return state
    } catch (error) {
      opened = undefined
      if (!(error instanceof GitFailure) || error.limitMs !== null || isSecond) throw error
      // They may name content that has gone from a damaged store.
      rmSync(indexOf(repository), { force: true })
      setHead(repository, null)
      return take(true)
    }
  }

  async function takeWith({ repository, files, extra, reader, own }: Opened): Promise<TreeState> {
    copyUserRules(repository)
    const scratch = mkdtempSync(join(repository.dir, "take-"))
    try {
      const [{ tree, leftOut, nested, ignored }, state] = await Promise.all([
        files(limits(), scratch),
        reader(scratch),
        own === undefined ? undefined : runInSlices(own()),
      ])
      const kept = await extra(ignored, nested, limits(), scratch)
      const ignoredOut = kept.leftOut.map((each) => ({ ...each, isIgnored: true }))
      const all = [...leftOut, ...ignoredOut].slice(0, MAX_LEFT_OUT)
      return { files: tree, extra: kept.tree, leftOut: all, repository: state }
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** Throws where there is no git, or it fails. */
  return { take: (): Promise<TreeState> => queue.run(() => take()) }
}

type Opened = Awaited<ReturnType<typeof open>>

async function open(repository: PrivateRepository) {
  await preparePrivateRepository(repository)
  const { user, dir } = repository
  return {
    repository,
    files: filesTree(repository),
    extra: extraTree(repository),
    reader: repositoryReader(repository),
    own: user === null ? undefined : objectOwner(join(user.commonDir, "objects"), join(dir, "objects")),
  }
}

export const DEFAULT_LIMITS: SnapshotLimits = {
  maxFileBytes: 50 << 20,
  maxTotalBytes: 1 << 30,
  maxIgnoredBytes: 1 << 20,
  maxNestedBytes: 50 << 20,
  maxFiles: 5000,
}
const MAX_LEFT_OUT = 1000
