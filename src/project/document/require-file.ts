import { statSync } from "node:fs"
import { resolve } from "node:path"
import { HiveError } from "../../shared/error.ts"
import { projectPath } from "../project-path.ts"
import { type FileState, fileLook, MAX_BYTES } from "./file-look.ts"

/**
 * The file at that path, relative to the project, as it is now (null: not there yet). Throws if it cannot be watched.
 */
export function requireFile(projectDir: string, given: string): { path: string; now: FileState | null } {
  const path = projectPath(projectDir, resolve(projectDir, given))
  if (path === undefined) throw unusable(given, "It lies outside the project.")
  const now = fileLook(projectDir)(path)
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
