import { join } from "node:path"
import { existsSync } from "./files/hive-fs.ts"
import { hivePaths } from "./files/layout.ts"
import { createText, readText } from "./files/text-file.ts"
import { isOwnHive } from "./older-tool.ts"

/** What `.hivemind/` was when only an older tool, or a person, had it. */
export interface BeforeHive {
  /** Null for none. */
  gitignore: string | null
  /** The folders that HiveMind has too. */
  folders: string[]
}

/** Writes that down before anything is changed, so that undoing a migration can lead there again. */
export function noteBefore(home: string): void {
  const { root, gitignore, before } = hivePaths(home)
  if (!existsSync(root) || existsSync(before) || isOwnHive(home)) return
  const folders = SHARED.filter((name) => existsSync(join(root, name)))
  const noted: BeforeHive = { gitignore: readText(gitignore) ?? null, folders }
  createText(before, `${JSON.stringify(noted)}\n`)
}

/** Undefined where nobody was there before, or that is not known. */
export function readBefore(home: string): BeforeHive | undefined {
  try {
    const { gitignore, folders } = JSON.parse(readText(hivePaths(home).before) ?? "") as Partial<BeforeHive>
    return { gitignore: typeof gitignore === "string" ? gitignore : null, folders: folders ?? [] }
  } catch {
    return undefined // None, or damaged: then what is there stays.
  }
}

/** Relative to the folder of the hive. */
export const SHARED = ["graph", "state", "sessions"] as const
