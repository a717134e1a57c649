import { createHash } from "node:crypto"
import { readFileSync, type Stats, statSync } from "node:fs"
import { relative, resolve } from "node:path"
import { HiveError } from "../../shared/error.ts"
import { systemCode } from "../../shared/system-error.ts"
import { leadsOut, projectPath } from "../project-path.ts"
import { isMarkdown, type Section, sectionsOf } from "./sections.ts"

export interface FileState {
  /** SHA-256 of its bytes. */
  hash: string
  /** Of a Markdown file. */
  sections: Section[]
}

/**
 * A file as it is now: null where there is none, undefined where that is unknown (a folder, too large, not readable).
 */
export type FileStatusLookup = (path: string) => FileState | null | undefined

/** Reads files of a project. A file is read again only when its size or times have changed: otherwise a call costs one stat. */
export function fileStatusLookup(projectDir: string): FileStatusLookup {
  const known = new Map<string, { signature: string; state: FileState }>()
  return (path) => {
    const full = resolve(projectDir, path)
    if (leadsOut(relative(projectDir, full))) return undefined
    try {
      const stat = statSync(full, { throwIfNoEntry: false })
      if (stat === undefined) return null
      if (!stat.isFile() || stat.size > MAX_BYTES) return undefined
      const signature = signatureOf(stat)
      const there = known.get(full)
      if (there?.signature === signature) return there.state
      const state = readState(full)
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(full, { signature, state })
      return state
    } catch (error) {
      // Deleted since the stat, or its folder was replaced by a file.
      return systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR" ? null : undefined
    }
  }
}

function readState(path: string): FileState {
  const bytes = readFileSync(path)
  const hash = createHash("sha256").update(bytes).digest("hex")
  return { hash, sections: isMarkdown(path) ? sectionsOf(bytes.toString("utf8")) : [] }
}

function signatureOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ctimeMs}:${ino}`
}

/**
 * The file at that path, relative to the project, as it is now (null: not there yet). Throws if it cannot be watched.
 */
export function requireFile(projectDir: string, given: string): { path: string; now: FileState | null } {
  const path = projectPath(projectDir, resolve(projectDir, given))
  if (path === undefined) throw unusable(given, "It lies outside the project.")
  const now = fileStatusLookup(projectDir)(path)
  if (now === undefined) throw unusable(given, whyNot(resolve(projectDir, path)))
  return { path, now }
}

function whyNot(full: string): string {
  const stat = statSync(full, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return "It is a folder."
  return (stat?.size ?? 0) > MAX_BYTES ? `It is larger than ${MAX_BYTES / 1e6} MB.` : "It cannot be read."
}

function unusable(given: string, why: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `"${given}" cannot be watched.`,
    why,
    use_instead: "Name a file of this project, relative to its folder.",
    evidence: `path = ${given}`,
  })
}

const MAX_BYTES = 2_000_000
const MAX_KNOWN = 10_000
