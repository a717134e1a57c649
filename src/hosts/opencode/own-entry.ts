import { readFileSync, realpathSync } from "node:fs"
import { basename, resolve } from "node:path"

/** OpenCode's own configuration, in any folder: the project's, `.opencode/`, the user's. */
export function isHostConfig(path: string): boolean {
  return /^opencode\.jsonc?$/i.test(basename(path))
}

/**
 * True if a call would change how OpenCode loads plugins, HiveMind among them. Anything else in the file is the user's
 * and the agent's business. What cannot be foreseen counts as a change.
 */
export async function changesPlugins(tool: string, args: unknown, directory: string): Promise<boolean> {
  const given = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {}
  const patch = text(given["patchText"])
  if (patch !== "") return changesInPatch(patch, directory)
  const path = resolve(directory, text(given["filePath"]))
  if (!leadsToConfig(path)) return false
  const before = currentText(path)
  const after = tool === "write" ? text(given["content"]) : edited(before, given)
  return after === undefined || (await pluginsIn(before)) !== (await pluginsIn(after))
}

function edited(before: string, given: Record<string, unknown>): string | undefined {
  const [from, to] = [text(given["oldString"]), text(given["newString"])]
  if (from === "") return before === "" ? to : undefined
  // Where it is not found to the letter the host looks for something like it.
  if (!before.includes(from)) return undefined
  return given["replaceAll"] === true ? before.replaceAll(from, () => to) : before.replace(from, () => to)
}

/** By its own name, or by where a link of another name leads. */
function leadsToConfig(path: string): boolean {
  if (isHostConfig(path)) return true
  try {
    return isHostConfig(realpathSync(path))
  } catch {
    return false // A new file.
  }
}

/** Of a patch only the changed lines of those files are read, which is enough to see that something else is changed. */
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

/** What the file says of plugins, as text to compare; the file itself where it is no JSON. */
async function pluginsIn(config: string): Promise<string> {
  const { parse } = await import("jsonc-parser") // Such files are seldom written.
  const value: unknown = config === "" ? {} : parse(config, [], { allowTrailingComma: true })
  if (typeof value !== "object" || value === null) return config
  const { plugin, plugins } = value as Record<string, unknown>
  return JSON.stringify([plugin ?? [], plugins ?? []])
}

function currentText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // A new file.
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

// By name, or a line that may be one of a list: which list it is of, the patch does not say.
const CHANGES_PLUGINS = /^[+-](?:.*(?:plugin|hivemind|governance)|\s*"[^"]*"\s*,?\s*\r?$|\s*[[\]],?\s*\r?$)/i
