import * as z from "zod"

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

const leftOut = z.strictObject({
  /** Relative to the top of the work tree; a folder ends with a slash. */
  path: z.string(),
  bytes: z.number(),
  why: z.enum(["large", "total", "unreadable", "nested"]),
  /** Git ignores it. */
  isIgnored: z.boolean().optional(),
})

/** What git knows beside the files: where branches, tags and stashes stand, and what is staged. */
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
export const treeState = z.strictObject({
  /** Tracked and untracked files, byte for byte. */
  files: oid,
  /** Small ignored files and nested repositories; see `encodePath` for the names. */
  extra: oid,
  leftOut: z.array(leftOut),
  /** Null without a repository, and where git refuses to read it. */
  repository: repositoryState.nullable(),
})

export type LeftOut = z.infer<typeof leftOut>
export type RepositoryState = z.infer<typeof repositoryState>
export type TreeState = z.infer<typeof treeState>

/** Equal states have equal texts. */
export function isSameState(one: TreeState, other: TreeState): boolean {
  return (
    one.files === other.files &&
    one.extra === other.extra &&
    JSON.stringify(one.repository) === JSON.stringify(other.repository)
  )
}
