import { existsSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

export const leftOut = z.strictObject({
  /** Relative to the top of the work tree; a folder ends with a slash. */
  path: z.string(),
  bytes: z.number(),
  /** When it was last written; 0 for a folder. */
  changedMs: z.number(),
  why: z.enum(["large", "total", "unreadable", "nested"]),
  /** Git ignores it. */
  isIgnored: z.boolean().optional(),
})

/** The repository's state beside the files: branches, tags, stashes and the staged content. */
const repositoryState = z.strictObject({
  /** The commit; null before the first one. */
  head: oid.nullable(),
  /** The full name of the branch; null for a detached HEAD. */
  branch: z.string().nullable(),
  /** A blob with a line `id name` per ref. */
  refs: oid,
  /** Newest first. */
  stashes: z.array(z.strictObject({ commit: oid, message: z.string() })),
  index: z.strictObject({
    tree: oid,
    /** Files that a merge in progress has left unresolved; they are not in the tree. */
    unmerged: z.array(z.string()),
  }),
})

/** The work tree at one moment. Trees and blobs are in the private repository. */
export const worktreeState = z.strictObject({
  /** Tracked and untracked files, byte for byte. */
  files: oid,
  /** Small ignored files and nested repositories; see `encodePath` for the names. */
  ignoredAndNested: oid,
  leftOut: z.array(leftOut),
  /** Null without a repository, and where git refuses to read it. */
  repository: repositoryState.nullable(),
})

export type LeftOut = z.infer<typeof leftOut>
export type RepositoryState = z.infer<typeof repositoryState>
export type WorktreeState = z.infer<typeof worktreeState>

/** Limits for the files of a snapshot. */
export interface SnapshotLimits {
  /** Of one file, and of one that git ignores. */
  maxFileBytes: number
  maxIgnoredBytes: number
  /** Of one ignored folder or nested repository. */
  maxNestedBytes: number
  maxFiles: number
  /** Of all files that one snapshot adds. */
  maxTotalBytes: number
}

/** Equal states have equal texts. */
export function isSameState(one: WorktreeState, other: WorktreeState): boolean {
  return (
    one.files === other.files &&
    one.ignoredAndNested === other.ignoredAndNested &&
    JSON.stringify(one.repository) === JSON.stringify(other.repository)
  )
}

/** Stands for the content of a file that is not kept. Of a folder nothing is known but that it is there. */
export function leftOutContent({ path, bytes, changedMs }: LeftOut): string {
  return path.endsWith("/") ? "folder" : `${bytes} bytes of ${changedMs}`
}

/** The files and folders too large to be kept that differ between two states, or are gone from the disk by now. */
export function leftOutChanges(top: string, before: WorktreeState, after: WorktreeState): LeftOutChange[] {
  const now = new Map(after.leftOut.map((each) => [each.path, each]))
  const isChanged = (was: LeftOut) => {
    const is = now.get(was.path)
    // It is small enough to be kept from now on, or one of so many that not all are listed.
    if (is === undefined) return after.leftOut.length < MAX_LEFT_OUT || !existsSync(join(top, was.path))
    // An ignored file that has only grown is a log or a database.
    const isGrown = is.isIgnored === true && is.bytes >= was.bytes
    return !isGrown && leftOutContent(is) !== leftOutContent(was)
  }
  const changed = before.leftOut.filter(isChanged)
  return changed.map((was) => ({ ...was, isDeleted: !existsSync(join(top, was.path)) }))
}

export type LeftOutChange = LeftOut & { isDeleted: boolean }
export const MAX_LEFT_OUT = 1000
