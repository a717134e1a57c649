import { realpathSync } from "node:fs"
import { basename, resolve } from "node:path"
import { readTextOrUndefined } from "../../shared/lenient-files.ts"
import { type Fields, fieldsOf, stringOf } from "../host-values.ts"

export function isHostConfig(path: string): boolean {
  return /^opencode\.jsonc?$/i.test(basename(path))
}

/** Whether a call would change which plugins OpenCode loads; true as well if its result cannot be predicted. */
export async function changesPlugins(tool: string, args: unknown, directory: string): Promise<boolean> {
  const given = fieldsOf(args)
  const patch = stringOf(given["patchText"])
  if (patch !== "") return changesInPatch(patch, directory)
  const path = resolve(directory, stringOf(given["filePath"]))
  if (!leadsToConfig(path)) return false
  const before = readTextOrUndefined(path) ?? ""
  const after = tool === "write" ? stringOf(given["content"]) : edited(before, given)
  return after === undefined || (await pluginsIn(before)) !== (await pluginsIn(after))
}

function edited(before: string, given: Fields): string | undefined {
  const [from, to] = [stringOf(given["oldString"]), stringOf(given["newString"])]
  if (from === "") return before === "" ? to : undefined
  // If the exact text is not found, OpenCode replaces a similar one.
  if (!before.includes(from)) return undefined
  return given["replaceAll"] === true ? before.replaceAll(from, () => to) : before.replace(from, () => to)
}

function leadsToConfig(path: string): boolean {
  if (isHostConfig(path)) return true
  try {
    return isHostConfig(realpathSync(path))
  } catch {
    return false // A new file.
  }
}

/** If a patch names a config file, the lines for its other files are checked too. */
function changesInPatch(patch: string, directory: string): boolean {
  const configs = [...patch.matchAll(PATCHED)].filter(([, , path = ""]) =>
    leadsToConfig(resolve(directory, path.trim())),
  )
  const isMoved = configs.some(([, what]) => what === "Delete File" || what === "Move to")
  return configs.length > 0 && (isMoved || /\*\*\* Move to:/.test(patch) || CHANGES_PLUGINS.test(patch))
}

/** The plugin lists of a config file, as text to compare; the whole text if it is not JSON. */
async function pluginsIn(config: string): Promise<string> {
  const { parse } = await import("jsonc-parser") // Loaded only when a config file is written.
  const value: unknown = config === "" ? {} : parse(config, [], { allowTrailingComma: true })
  if (typeof value !== "object" || value === null) return config
  const { plugin, plugins } = value as Record<string, unknown>
  return JSON.stringify([plugin ?? [], plugins ?? []])
}

// Lines that name a plugin, and all lines of lists: a patch does not show which list a line belongs to.
const CHANGES_PLUGINS =
  /^[+-](?:.*(?:plugin|hivemind|governance)|[^\S\n]*"[^"\n]*"\s*,?\s*$|[^\S\n]*[[\]],?\s*$)/im
const PATCHED = /^[^\S\n]*\*\*\* (Add File|Update File|Delete File|Move to):(.+)$/gm
