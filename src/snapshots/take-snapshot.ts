import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GitFailure } from "../project/git/run-git.ts"
import { createQueue } from "../shared/queue.ts"
import { runInSlices } from "../shared/slices.ts"
import { HOUR_MS } from "../shared/time.ts"
import { ignoredAndNestedTree } from "./ignored-and-nested-files.ts"
import { userObjectLinker } from "./link-user-objects.ts"
import {
  copyUserRules,
  findPrivateRepository,
  type PrivateRepository,
  preparePrivateRepository,
  setHead,
} from "./private-repository.ts"
import { repositoryReader } from "./repository-state.ts"
import { indexFile, trackedAndUntrackedTree } from "./tracked-and-untracked-files.ts"
import { MAX_LEFT_OUT, type SnapshotLimits, type WorktreeState } from "./worktree-state.ts"

/** Takes snapshots of a work tree: one at a time per process, but several processes may do so at once. */
export function snapshotTaker(project: string, limits: () => SnapshotLimits) {
  const queue = createQueue()
  let opened: Opened | undefined
  let addedBytes = 0

  async function take(isSecond = false): Promise<WorktreeState> {
    const repository = findPrivateRepository(project)
    const { dir, worktree } = repository
    try {
      // Opens the repository again after a `git init`, and hourly, because another process may have pruned cached trees.
      const isOld = (opened?.openedMs ?? 0) < Date.now() - HOUR_MS
      if (opened === undefined || isOld || opened.repository.dir !== dir || !existsSync(join(dir, "HEAD")))
        opened = await open(repository)
      const state = await takeWith(opened)
      setHead(repository, state.repository?.head ?? null)
      // Pruning keeps the objects that this file names, because the next snapshot builds on them.
      writeFileSync(join(dir, "sessions", `current-${worktree}.json`), JSON.stringify({ state }))
      return state
    } catch (error) {
      opened = undefined
      if (!(error instanceof GitFailure) || error.limitMs !== null || isSecond) throw error
      // If the store has lost objects, the index and HEAD may still name them, so both are reset.
      rmSync(indexFile(repository), { force: true })
      setHead(repository, null)
      return take(true)
    }
  }

  async function takeWith({ repository, ...takers }: Opened): Promise<WorktreeState> {
    copyUserRules(repository)
    const scratch = mkdtempSync(join(repository.dir, "take-"))
    try {
      const [{ tree, leftOut, nested, ignored }, state] = await Promise.all([
        takers.files(limits(), scratch),
        takers.repositoryState(scratch),
        takers.linkUserObjects === undefined ? undefined : runInSlices(takers.linkUserObjects()),
      ])
      const others = await takers.ignoredAndNested(ignored, nested, limits())
      const ignoredOut = others.leftOut.map((each) => ({ ...each, isIgnored: true }))
      const all = [...leftOut, ...ignoredOut].slice(0, MAX_LEFT_OUT)
      return { files: tree, ignoredAndNested: others.tree, leftOut: all, repository: state }
    } finally {
      addedBytes += takers.store.newBytes
      takers.store.newBytes = 0
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  return {
    /** Throws if git is missing or fails. */
    take: (): Promise<WorktreeState> => queue.run(() => take()),
    addedBytes: () => addedBytes,
  }
}

type Opened = Awaited<ReturnType<typeof open>>

async function open(repository: PrivateRepository) {
  const store = await preparePrivateRepository(repository)
  const { user, dir } = repository
  return {
    repository,
    store,
    openedMs: Date.now(),
    files: trackedAndUntrackedTree(repository, store),
    ignoredAndNested: ignoredAndNestedTree(repository, store),
    repositoryState: repositoryReader(repository, store),
    linkUserObjects:
      user === null ? undefined : userObjectLinker(join(user.commonDir, "objects"), join(dir, "objects")),
  }
}

export const DEFAULT_LIMITS: SnapshotLimits = {
  maxFileBytes: 50 << 20,
  maxTotalBytes: 1 << 30,
  maxIgnoredBytes: 1 << 20,
  maxNestedBytes: 50 << 20,
  maxFiles: 5000,
}
