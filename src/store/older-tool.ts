import { join } from "node:path"
import { existsSync, readFileSync } from "./files/hive-fs.ts"
import { readJson } from "./files/json-lines.ts"
import { hasHive, hivePaths, ignoreInGit } from "./files/layout.ts"
import { createText, readText } from "./files/text-file.ts"
import { manifestNumbers } from "./snapshot/manifest.ts"

/** Files that tools before HiveMind kept in a folder of the same name, relative to `.hivemind/`. HiveMind writes none of them. */
const OLDER_FILES = [
  "sessions/manifest.json",
  "graph/trajectory.json",
  "graph/plans.json",
  "graph/tasks.json",
  "graph/mems.json",
  "graph/artifacts.json",
  "state/anchors.json",
  "state/brain.json",
]

/** True if a tool before HiveMind wrote this file. Both write a `graph/orphans.json`: its content tells. */
export function isOfOlderTool(root: string, path: string): boolean {
  if (!path.endsWith(".json")) return false
  if (path !== join(root, "graph", "orphans.json")) return true
  const head = headOf(path)
  return /"version"\s*:/.test(head) || head.includes('"original_data"')
}

function headOf(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, HEAD_CHARS)
  } catch {
    return "" // Gone or unreadable: reading the whole file reports that.
  }
}

/** True if HiveMind itself has written here, not only a tool before it that had a folder of the same name. */
export function isOwnHive(projectDir: string): boolean {
  if (!hasHive(projectDir)) return false
  const paths = hivePaths(projectDir)
  if (existsSync(paths.log) || manifestNumbers(paths.graph).length > 0) return true
  return !OLDER_FILES.some((file) => existsSync(join(paths.root, file)))
}

/** Makes git ignore HiveMind's own hive: an older `.gitignore` may have let git see its files. Returns the files it wrote. */
export function keepOutOfGit(home: string): string[] {
  return isOwnHive(home) ? ignoreInGit(hivePaths(home)) : []
}

/** `.hivemind/` as it was when only an older tool, or a person, had it. */
export interface BeforeHive {
  /** Null for none. */
  gitignore: string | null
  /** The folders that HiveMind has too. */
  folders: string[]
}

/** Notes that before anything is changed, so that undoing a migration can restore it. */
export function noteBefore(home: string): void {
  const { root, gitignore, before } = hivePaths(home)
  if (!existsSync(root) || existsSync(before) || isOwnHive(home)) return
  const folders = SHARED.filter((name) => existsSync(join(root, name)))
  const noted: BeforeHive = { gitignore: readText(gitignore) ?? null, folders }
  createText(before, `${JSON.stringify(noted)}\n`)
}

/** Undefined if HiveMind made the folder, or the note is damaged: then the files stay as they are. */
export function readBefore(home: string): BeforeHive | undefined {
  const noted = readJson(hivePaths(home).before) as Partial<BeforeHive> | undefined
  if (typeof noted !== "object" || noted === null) return undefined
  const { gitignore, folders = [] } = noted
  return { gitignore: typeof gitignore === "string" ? gitignore : null, folders }
}

/** Folders of `.hivemind/` that older tools have too. */
export const SHARED = ["graph", "state", "sessions"] as const
const HEAD_CHARS = 4096
