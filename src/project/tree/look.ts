import { realpathSync } from "node:fs"
import { join, relative } from "node:path"
import { findRepository } from "../../shared/git-folders.ts"
import { createQueue } from "../../shared/queue.ts"
import { GitFailure } from "../git/run-git.ts"
import type { Changes } from "./changes.ts"
import { signatureOf } from "./file-signature.ts"
import { changedFiles, type GitSnapshot, takeSnapshot } from "./git-snapshot.ts"
import { changedInScan, type Scan, type ScanLimits, scanTree } from "./scan.ts"

export interface Look extends Changes {
  /** Why some may be missing; null where none are. */
  limit: string | null
}

/**
 * Looks at a work tree for what has changed since the last look: with git by its own comparison, without it by a scan
 * that ends somewhere. The first look has nothing to compare with, and finds nothing. Looks wait for each other.
 */
export function lookAtTree(dir: string, limits?: ScanLimits) {
  const queue = createQueue()
  let last: { git: GitSnapshot } | { scan: Scan } | undefined
  let known = new Map<string, string>()

  async function look(): Promise<Look> {
    const toldBefore = known
    known = new Map()
    const prefix = prefixIn(dir)
    const found = prefix === undefined ? await lookByScan() : await lookByGit(prefix)
    const isTold = (path: string) => [toldBefore, known].some((told) => told.get(path) === signatureIn(path))
    return { ...found, changed: found.changed.filter((path) => !isTold(path)) }
  }

  async function lookByGit(prefix: string): Promise<Look> {
    const before = last !== undefined && "git" in last ? last.git : undefined
    try {
      const after = await takeSnapshot(dir, prefix, before)
      const changes = before === undefined ? NOTHING : await changedFiles(dir, before, after)
      last = { git: after }
      return { ...changes, limit: after.isCut ? `git lists more than ${after.files.size} files` : null }
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error
      // Without the program its folder is of no use.
      if (error.said.includes("ENOENT")) return lookByScan()
      return { ...NOTHING, limit: error.message }
    }
  }

  async function lookByScan(): Promise<Look> {
    const before = last !== undefined && "scan" in last ? last.scan : undefined
    const after = await scanTree(dir, limits)
    const changes = before === undefined ? NOTHING : changedInScan(dir, before, after)
    last = { scan: after }
    return { ...changes, limit: after.stopped === null ? null : `the scan ended ${after.stopped}` }
  }

  function signatureIn(path: string): string {
    return signatureOf(join(dir, path)).signature
  }

  return {
    look: () => queue.run(look),
    /** True once there is something to compare with. */
    hasBegun: () => last !== undefined,
    /** These files are accounted for as they are now: the next look does not tell of them, unless they change again. */
    account(paths: readonly string[]): void {
      for (const path of paths) known.set(path, signatureIn(path))
    },
  }
}

/** Where the folder lies in its repository: "", or a path that ends with a slash; undefined without one. */
function prefixIn(dir: string): string | undefined {
  const repository = findRepository(dir)
  if (repository === undefined || repository.folders === null) return undefined
  const inside = relative(real(repository.top), real(dir)).replaceAll("\\", "/")
  return inside === "" ? "" : `${inside}/`
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // It has just gone.
  }
}

const NOTHING: Changes = { changed: [], created: new Set() }
