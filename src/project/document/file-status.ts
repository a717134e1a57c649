import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { relative, resolve } from "node:path"
import { HiveError } from "../../shared/error.ts"
import { systemCode } from "../../shared/system-error.ts"
import { leadsOut, projectPath } from "../project-path.ts"
import { isMarkdown, type Section, sectionsOf } from "./sections.ts"

export interface FileState {
  hash: string
  sections: Section[]
}

/** Reads a file's state: null if it does not exist, undefined if it cannot be watched (a folder, too large, not readable). */
export type FileStatusLookup = (path: string) => FileState | null | undefined

/** Reads files of a project. A file is read again only if its size or times have changed. */
export function fileStatusLookup(projectDir: string): FileStatusLookup {
  const known = new Map<string, { signature: string; state: FileState }>()
  return (path) => {
    const full = resolve(projectDir, path)
    if (leadsOut(relative(projectDir, full))) return undefined
    try {
      const stat = statSync(full, { throwIfNoEntry: false })
      if (stat === undefined) return null
      if (!stat.isFile() || stat.size > MAX_BYTES) return undefined
      const { size, mtimeMs, ctimeMs, ino } = stat
      const signature = `${size}:${mtimeMs}:${ctimeMs}:${ino}`
      const there = known.get(full)
      if (there?.signature === signature) return there.state
      const bytes = readFileSync(full)
      const hash = createHash("sha256").update(bytes).digest("hex")
      const state = { hash, sections: isMarkdown(full) ? sectionsOf(bytes.toString("utf8")) : [] }
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(full, { signature, state })
      return state
    } catch (error) {
      // ENOENT: deleted since the stat. ENOTDIR: its folder was replaced by a file.
      return systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR" ? null : undefined
    }
  }
}

/** The current state of the file at a path that the user or model gave. Throws if the file cannot be watched. */
export function requireFile(projectDir: string, given: string): { path: string; now: FileState | null } {
  const path = projectPath(projectDir, resolve(projectDir, given))
  if (path === undefined) throw unusable(given, "The path lies outside the project.")
  const now = fileStatusLookup(projectDir)(path)
  if (now === undefined) throw unusable(given, whyNot(resolve(projectDir, path)))
  return { path, now }
}

function whyNot(full: string): string {
  const stat = statSync(full, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return "The path is a folder."
  return (stat?.size ?? 0) > MAX_BYTES
    ? `The file is larger than ${MAX_BYTES / 1e6} MB.`
    : "The file cannot be read."
}

function unusable(given: string, why: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `"${given}" cannot be watched for changes.`,
    why,
    use_instead: "Give the path of a file in this project, relative to the project's folder.",
    evidence: `path = ${given}`,
  })
}

const MAX_BYTES = 2_000_000
const MAX_KNOWN = 10_000
