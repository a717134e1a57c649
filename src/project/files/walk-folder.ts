import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Pausing } from "../../shared/slices.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { signatureOf } from "../tree/file-signature.ts"
import { type IgnoreRules, NO_RULES, rulesIn } from "./ignore-rules.ts"
import type { FileNote, ListLimits, ProjectFile } from "./list-files.ts"

interface Walked {
  files: ProjectFile[]
  notes: FileNote[]
  stopped: string | null
}

/** A folder that no git looks after, those nearest to the top first. It ends after so many files or so long. */
export function* walkFolder(dir: string, limits: ListLimits): Pausing<Walked> {
  const started = performance.now()
  const walked: Walked = { files: [], notes: [], stopped: null }
  const folders: { path: string; rules: IgnoreRules }[] = [{ path: "", rules: NO_RULES }]
  for (let next = 0; next < folders.length; next++) {
    const folder = folders[next]
    if (folder === undefined) break
    const entries = entriesOf(dir, folder.path, walked.notes)
    const hasRules = entries.some(({ name }) => name === ".gitignore")
    const rules = hasRules ? rulesIn(dir, folder.path, folder.rules) : folder.rules
    for (const entry of entries) {
      yield
      const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`
      if (entry.isDirectory()) {
        if (!NEVER_WALKED.has(entry.name) && !rules.ignores(path, true)) folders.push({ path, rules })
        continue
      }
      if (rules.ignores(path, false)) continue
      if (entry.isSymbolicLink()) walked.notes.push({ path, why: "a link, not followed" })
      if (!entry.isFile()) continue
      const { signature, stat } = signatureOf(join(dir, path))
      if (stat === undefined) continue // Gone meanwhile.
      if (walked.files.length >= limits.files) return { ...walked, stopped: `after ${limits.files} files` }
      walked.files.push({ path, bytes: Number(stat.size), signature })
    }
    if (performance.now() - started > limits.ms)
      return { ...walked, stopped: `after ${limits.ms} ms, at ${walked.files.length} files` }
  }
  return walked
}

function entriesOf(dir: string, path: string, notes: FileNote[]): Dirent[] {
  try {
    return readdirSync(join(dir, path), { withFileTypes: true })
  } catch {
    notes.push({ path, why: "a folder that may not be read" })
    return []
  }
}

/** Downloaded or computed, whether or not anybody has written that down. */
const NEVER_WALKED = new Set([
  HIVE_FOLDER,
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
])
