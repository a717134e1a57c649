import { createHash } from "node:crypto"
import { isAbsolute, join, relative } from "node:path"
import * as z from "zod"
import { readFileSync, rmSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { writeAtomic } from "../../store/files/write-file.ts"
import { explainWrite } from "./config-file.ts"
import type { ConfigScope } from "./find-opencode-config.ts"

/** Init's edit of a config, recorded so that uninstall can undo it. The config is not copied: it may contain secret keys. */
const configChangeSchema = z.strictObject({
  scope: z.enum(["project", "global"]),
  /** The config's path. Relative for a project's config, so that the project can be moved; else absolute. */
  file: z.string(),
  specifier: z.string(),
  /** The MCP client that the config belongs to; left out for OpenCode's config. */
  client: z.string().optional(),
  /** For a user-wide config: the hive folder that init added to the entry's list of projects. */
  only_in: z.string().optional(),
  made_key: z.boolean(),
  made_folder: z.string().nullable(),
  /** The splice that restores the old text. Null if init made the file. */
  undo: z
    .strictObject({ at: z.int().nonnegative(), remove: z.int().nonnegative(), insert: z.string() })
    .nullable(),
  sha256_before: z.string().nullable(),
  sha256_after: z.string(),
})
const recordSchema = z.strictObject({ version: z.literal(1), changes: z.array(configChangeSchema) })

export type ConfigChange = z.infer<typeof configChangeSchema>

export async function readRecord(hiveHome: string): Promise<ConfigChange[]> {
  try {
    const text = readFileSync(hivePaths(hiveHome).install, "utf8")
    return recordSchema.parse(JSON.parse(text)).changes
  } catch {
    // Without a valid record, uninstall searches the configs for the entry.
    return []
  }
}

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

export function describeEdit(
  before: string | undefined,
  after: string,
): Pick<ConfigChange, "undo" | "sha256_before" | "sha256_after"> {
  return {
    undo: before === undefined ? null : reverseSplice(before, after),
    sha256_before: before === undefined ? null : sha256(before),
    sha256_after: sha256(after),
  }
}

/** Returns the text before init's edit; null if there was no file; undefined if the file was changed after init. */
export function undoEdit(change: ConfigChange | undefined, current: string): string | null | undefined {
  const left = [current, ...beforeOpencode(current)].find((text) => sha256(text) === change?.sha256_after)
  if (change === undefined || left === undefined) return undefined
  if (change.undo === null) return null
  const { at, remove, insert } = change.undo
  const before = left.slice(0, at) + insert + left.slice(at + remove)
  // If the record was edited by hand, the hash differs, and the user's config is not overwritten.
  return sha256(before) === change.sha256_before ? before : undefined
}

/** Undoes OpenCode's own edit, which adds `$schema` and drops blanks before the first `{`. Returns all possible texts. */
function beforeOpencode(text: string): string[] {
  if (!text.startsWith(ADDED_BY_OPENCODE)) return []
  const rest = `{${text.slice(ADDED_BY_OPENCODE.length)}`
  return ["", "\uFEFF", "\n", "\uFEFF\n", "\r\n"].map((first) => first + rest)
}

function reverseSplice(before: string, after: string): NonNullable<ConfigChange["undo"]> {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return { at: head, remove: after.length - head - tail, insert: before.slice(head, before.length - tail) }
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex")
}

const ADDED_BY_OPENCODE = '{\n  "$schema": "https://opencode.ai/config.json",'
