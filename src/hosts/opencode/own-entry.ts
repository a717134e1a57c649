import { realpathSync } from "node:fs"
import { basename, resolve } from "node:path"
import { readTextOrUndefined } from "../../shared/lenient-files.ts"
import { type Fields, fieldsOf, stringOf } from "../host-values.ts"

/** OpenCode's own configuration, in any folder: the project's, `.opencode/`, the user's. */
export function isHostConfig(path: string): boolean {
  return /^opencode\.jsonc?$/i.test(basename(path))
}

/**
 * True if a call would change how OpenCode loads plugins, HiveMind among them. Other changes of the file are allowed. A
 * change that cannot be foreseen counts as one of the plugins.
 */
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
  // OpenCode replaces a similar text where the exact one is not found.
  if (!before.includes(from)) return undefined
  return given["replaceAll"] === true ? before.replaceAll(from, () => to) : before.replace(from, () => to)
}

/** By its own name, or by the target of a link with another name. */
function leadsToConfig(path: string): boolean {
  if (isHostConfig(path)) return true
  try {
    return isHostConfig(realpathSync(path))
  } catch {
    return false // A new file.
  }
}

/** Reads only the changed lines of config files in a patch. */
function changesInPatch(patch: string, directory: string): boolean {
  const isConfigAt = (path: string) => leadsToConfig(resolve(directory, path.trim()))
  let isConfig = false
  for (const line of patch.split("\n")) {
    const [, what, path = ""] = /^\s*\*\*\* (Add File|Update File|Delete File|Move to):(.+)$/.exec(line) ?? []
    if (what === "Move to" && (isConfig || isConfigAt(path))) return true
    if (what !== undefined && what !== "Move to") isConfig = isConfigAt(path)
    if (!isConfig) continue
    if (what === "Delete File" || CHANGES_PLUGINS.test(line)) return true
  }
  return false
}

/** The plugin lists of a config file, as text to compare; the whole text where it is no JSON. */
async function pluginsIn(config: string): Promise<string> {
  const { parse } = await import("jsonc-parser") // Loaded when a config file is written, which is rare.
  const value: unknown = config === "" ? {} : parse(config, [], { allowTrailingComma: true })
  if (typeof value !== "object" || value === null) return config
  const { plugin, plugins } = value as Record<string, unknown>
  return JSON.stringify([plugin ?? [], plugins ?? []])
}

// Names of plugins, or any line of a list: a patch does not say which list a line is in.
const CHANGES_PLUGINS = /^[+-](?:.*(?:plugin|hivemind|governance)|\s*"[^"]*"\s*,?\s*\r?$|\s*[[\]],?\s*\r?$)/i
