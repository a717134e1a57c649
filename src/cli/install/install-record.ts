import { isAbsolute, join, relative } from "node:path"
import * as z from "zod"
import { writeAtomic } from "../../store/files/atomic-write.ts"
import { readFileSync, rmSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { type ConfigChange, configChangeSchema } from "./config-change.ts"
import { explainWrite } from "./config-file.ts"
import type { ConfigScope } from "./opencode-config.ts"

const recordSchema = z.strictObject({ version: z.literal(1), changes: z.array(configChangeSchema) })

/** What init changed, from `.hivemind/system/install.json`. */
export async function readRecord(hiveHome: string): Promise<ConfigChange[]> {
  try {
    const text = readFileSync(hivePaths(hiveHome).install, "utf8")
    return recordSchema.parse(JSON.parse(text)).changes
  } catch {
    // No record, or one that cannot be trusted: uninstall then looks for the entry itself.
    return []
  }
}

/** Puts the changes on record; with none left there is no file. */
export async function writeRecord(hiveHome: string, changes: ConfigChange[]): Promise<void> {
  const file = hivePaths(hiveHome).install
  try {
    if (changes.length === 0) return rmSync(file, { force: true })
    writeAtomic(file, `${JSON.stringify({ version: 1, changes }, null, 2)}\n`)
  } catch (error) {
    throw explainWrite(error, `write ${file}`, file)
  }
}

export function recordedFile(hiveHome: string, change: ConfigChange): string {
  return isAbsolute(change.file) ? change.file : join(hiveHome, change.file)
}

export function fileForRecord(hiveHome: string, scope: ConfigScope, file: string): string {
  return scope === "project" ? relative(hiveHome, file) : file
}
