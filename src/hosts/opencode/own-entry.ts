import { readFileSync } from "node:fs"
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
  if (patch !== "") return changesInPatch(patch)
  const path = text(given["filePath"])
  if (!isHostConfig(path)) return false
  const before = currentText(resolve(directory, path))
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

/** Of a patch only the changed lines of those files are read, which is enough to see that something else is changed. */
function changesInPatch(patch: string): boolean {
  let isConfig = false
  for (const line of patch.split("\n")) {
    const file = /^\*\*\* (Add|Update|Delete) File:(.+)$/.exec(line)
    if (file !== null) isConfig = isHostConfig((file[2] ?? "").trim())
    if (!isConfig) continue
    if (file?.[1] === "Delete" || /^\*\*\* Move to:/.test(line)) return true
    if (/^[+-].*(plugin|hivemind|governance)/i.test(line)) return true
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
