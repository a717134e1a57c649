import { createHash } from "node:crypto"
import { isAbsolute, join, relative } from "node:path"
import * as z from "zod"
import { readFileSync, rmSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { writeAtomic } from "../../store/files/write-file.ts"
import { explainWrite } from "./config-file.ts"
import type { ConfigScope } from "./find-opencode-config.ts"

/**
 * How to undo the change that init made to one config file: a splice, not a copy, because a config may hold keys that
 * belong in no second file.
 */
const configChangeSchema = z.strictObject({
  scope: z.enum(["project", "global"]),
  /** From the project's folder for a project's config, so that the project may move; else absolute. */
  file: z.string(),
  specifier: z.string(),
  /** The client over MCP whose file it is; left out for OpenCode's. */
  client: z.string().optional(),
  /** In the user-wide config: the folder of the hive that the entry was limited to, or extended by. */
  only_in: z.string().optional(),
  /** True if the key that holds our entry was not there before. */
  made_key: z.boolean(),
  /** The topmost folder that had to be made for the file. */
  made_folder: z.string().nullable(),
  /** Null if init made the file. */
  undo: z
    .strictObject({ at: z.int().nonnegative(), remove: z.int().nonnegative(), insert: z.string() })
    .nullable(),
  sha256_before: z.string().nullable(),
  sha256_after: z.string(),
})
const recordSchema = z.strictObject({ version: z.literal(1), changes: z.array(configChangeSchema) })

export type ConfigChange = z.infer<typeof configChangeSchema>

/** The changes that init made, from `.hivemind/system/install.json`. */
export async function readRecord(hiveHome: string): Promise<ConfigChange[]> {
  try {
    const text = readFileSync(hivePaths(hiveHome).install, "utf8")
    return recordSchema.parse(JSON.parse(text)).changes
  } catch {
    // No record, or one that cannot be trusted: uninstall then looks for the entry itself.
    return []
  }
}

/** Puts the changes on record; without changes there is no file. */
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

/** The part of a change that follows from the two texts. */
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

/** The text before the change, or null for "no file"; undefined if the file is no longer what init left. */
export function undoEdit(change: ConfigChange | undefined, current: string): string | null | undefined {
  const left = [current, ...beforeOpencode(current)].find((text) => sha256(text) === change?.sha256_after)
  if (change === undefined || left === undefined) return undefined
  if (change.undo === null) return null
  const { at, remove, insert } = change.undo
  const before = left.slice(0, at) + insert + left.slice(at + remove)
  // A record that was edited by hand must not become a user's config.
  return sha256(before) === change.sha256_before ? before : undefined
}

/**
 * OpenCode adds a `$schema` to a config that has none when it starts, behind the first brace, and drops what stood before
 * that. These are the texts that it may have found.
 */
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
