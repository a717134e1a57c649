import { existsSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

export const leftOut = z.strictObject({
  /** The path relative to the top of the work tree; a folder's ends with a slash. */
  path: z.string(),
  bytes: z.number(),
  /** When the file was last written; 0 for a folder. */
  changedMs: z.number(),
  why: z.enum(["large", "total", "unreadable", "nested"]),
  isIgnored: z.boolean().optional(),
})

/** The state of the user's repository apart from files: branches, tags, stashes and the staged content. */
const repositoryState = z.strictObject({
  /** The current commit; null before the first one. */
  head: oid.nullable(),
  /** The full name of the branch; null for a detached HEAD. */
  branch: z.string().nullable(),
  /** The id of a blob with a line `id name` per ref. */
  refs: oid,
  stashes: z.array(z.strictObject({ commit: oid, message: z.string() })),
  index: z.strictObject({
    tree: oid,
    /** Files that a merge in progress has left unresolved; they are not in the tree. */
    unmerged: z.array(z.string()),
  }),
})

/** The work tree at one moment. The trees and blobs that it names are in the private repository. */
export const worktreeState = z.strictObject({
  /** The tree of all tracked and untracked files, byte for byte. */
  files: oid,
  /** The tree of small ignored files and nested repositories; see `encodePath` for its names. */
  ignoredAndNested: oid,
  leftOut: z.array(leftOut),
  /** The state of the user's repository; null if there is none, or git refuses to read it. */
  repository: repositoryState.nullable(),
})

export type LeftOut = z.infer<typeof leftOut>
export type RepositoryState = z.infer<typeof repositoryState>
export type WorktreeState = z.infer<typeof worktreeState>

export interface SnapshotLimits {
  maxFileBytes: number
  /** The limit for one file that git ignores. */
  maxIgnoredBytes: number
  /** The limit for one ignored folder or nested repository as a whole. */
  maxNestedBytes: number
  maxFiles: number
  /** The limit for the total of all files that one snapshot adds. */
  maxTotalBytes: number
}

export function isSameState(one: WorktreeState, other: WorktreeState): boolean {
  return (
    one.files === other.files &&
    one.ignoredAndNested === other.ignoredAndNested &&
    JSON.stringify(one.repository) === JSON.stringify(other.repository)
  )
}

/** Stands for the content of a file that is not saved: its size and time. For a folder, only its existence is known. */
export function leftOutContent({ path, bytes, changedMs }: LeftOut): string {
  return path.endsWith("/") ? "folder" : `${bytes} bytes of ${changedMs}`
}

/** Finds files and folders too large to be saved that changed between two states, or that are now deleted. */
export function leftOutChanges(top: string, before: WorktreeState, after: WorktreeState): LeftOutChange[] {
  const now = new Map(after.leftOut.map((each) => [each.path, each]))
  const isChanged = (was: LeftOut) => {
    const is = now.get(was.path)
    // A missing entry means that the file is small enough now, or that the list is full.
    if (is === undefined) return after.leftOut.length < MAX_LEFT_OUT || !existsSync(join(top, was.path))
    // An ignored file that has only grown is probably a log or a database: it counts as unchanged.
    const isGrown = is.isIgnored === true && is.bytes >= was.bytes
    return !isGrown && leftOutContent(is) !== leftOutContent(was)
  }
  const changed = before.leftOut.filter(isChanged)
  return changed.map((was) => ({ ...was, isDeleted: !existsSync(join(top, was.path)) }))
}

export type LeftOutChange = LeftOut & { isDeleted: boolean }
export const MAX_LEFT_OUT = 1000
