import type { OldFile } from "./old-file.ts"

/**
 * The order in which files are read: what others lean on comes first, and of two that know the same thing the one that
 * knows more.
 */
export const STEPS = [
  "graph",
  "tree",
  "sessions",
  "state",
  "todos",
  "anchors",
  "mems",
  "orphans",
  "settings",
  "documents",
] as const

interface LayoutFile {
  /** Relative to the layout's folder: a file, or a folder of files with such names. */
  path: string
  names?: RegExp
  step: (typeof STEPS)[number]
  read: OldFile["read"]
  /** HiveMind itself has, or had, a file of that name: its content decides. */
  isShared?: boolean
  /** It has its place here as well. */
  stays?: boolean
  /** Anybody may have such a file, HiveMind too: it counts only beside others of the layout. */
  isCommon?: boolean
}

/** Where an older tool of this family kept what. */
export interface Layout {
  name: string
  /** Relative to the project. */
  folder: string
  files: readonly LayoutFile[]
}
