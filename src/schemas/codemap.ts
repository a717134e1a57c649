import * as z from "zod"

/** How one file imports another. `type` is a type-only import; `dynamic` is `import("…")`. */
const importKind = z.enum(["import", "reexport", "require", "dynamic", "type"])
export type ImportKind = z.infer<typeof importKind>

const place = { line: z.int() }

const importRecord = z.object({ ...place, spec: z.string(), kind: importKind })
export type ImportRecord = z.infer<typeof importRecord>

const symbolRecord = z.object({
  ...place,
  name: z.string(),
  kind: z.string(),
  signature: z.string().optional(),
})
export type SymbolRecord = z.infer<typeof symbolRecord>

export const todoTag = z.enum(["TODO", "FIXME", "HACK", "NOTE"])

/** `context` is the line of code that the todo is on or directly above. */
const todoRecord = z.object({ ...place, tag: todoTag, text: z.string(), context: z.string() })
export type TodoRecord = z.infer<typeof todoRecord>

const commentRecord = z.object({ ...place, text: z.string(), isDoc: z.boolean() })
export type CommentRecord = z.infer<typeof commentRecord>

/** A parameter that a doc comment describes, but that its function (`of`) does not have. */
const claimRecord = z.object({ ...place, name: z.string(), of: z.string() })
export type ClaimRecord = z.infer<typeof claimRecord>

/** One file in the code map. Empty lists are left out. */
export const mappedFile = z.object({
  path: z.string(),
  language: z.string(),
  bytes: z.int(),
  /** Identifies the file's size and times. If they change, `hash` tells whether the content has changed. */
  signature: z.string(),
  hash: z.string(),
  imports: z.array(importRecord).optional(),
  exports: z.array(symbolRecord).optional(),
  symbols: z.array(symbolRecord).optional(),
  comments: z.array(commentRecord).optional(),
  todos: z.array(todoRecord).optional(),
  claims: z.array(claimRecord).optional(),
  /** Why the file could not be analysed completely. */
  note: z.string().optional(),
  /** True if there was no parser for the language. The file is analysed again once there is one. */
  unparsed: z.boolean().optional(),
})
export type MappedFile = z.infer<typeof mappedFile>

export interface CodeFacts {
  offers: readonly string[]
  dependents: number
  todos: number
}

/** Returns null if the file is not in the code map, undefined if there is no code map. */
export type CodeFactsLookup = (path: string) => CodeFacts | null | undefined
