import { createHash } from "node:crypto"
import * as z from "zod"

/**
 * What init did to one config file, as its reverse: a splice, not a copy, because a config may hold keys that
 * belong in no second file.
 */
export const configChangeSchema = z.strictObject({
  scope: z.enum(["project", "global"]),
  /** From the project's folder for a project's config, so that the project may move; else absolute. */
  file: z.string(),
  specifier: z.string(),
  /** The client over MCP whose file it is; left out for OpenCode's. */
  client: z.string().optional(),
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

export type ConfigChange = z.infer<typeof configChangeSchema>

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
export function undoEdit(change: ConfigChange, current: string): string | null | undefined {
  const left = [current, ...beforeOpencode(current)].find((text) => sha256(text) === change.sha256_after)
  if (left === undefined) return undefined
  if (change.undo === null) return null
  const { at, remove, insert } = change.undo
  const before = left.slice(0, at) + insert + left.slice(at + remove)
  // A record that was edited by hand must not become someone's config.
  return sha256(before) === change.sha256_before ? before : undefined
}

/**
 * Into a config without a `$schema` OpenCode writes one when it starts, behind the first brace, and drops what stood before
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
