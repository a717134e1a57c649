import { type Node, parse } from "jsonc-parser"
import { ONLY_IN, onlyIn } from "../../hive/plugin-options.ts"
import { brokenConfig, editJsonc, type JsonPath, parseJsonc, valueAt } from "./jsonc.ts"

export type NewEntry = string | [specifier: string, options: Record<string, unknown>]

export interface PluginEntry {
  specifier: string
  options: unknown
  projects: string[] | undefined
  path: JsonPath
  limitPath: JsonPath
}

/** The entries of `plugin`, which OpenCode 1 and 2 read, and of `plugins`; undefined if the config has neither. */
export function pluginEntries(text: string, file: string): PluginEntry[] | undefined {
  const { body, root } = parseJsonc(text, file)
  const lists = PLUGIN_KEYS.flatMap((key) => {
    const list = valueAt(root, key)
    if (list === undefined) return []
    if (list.type !== "array") throw brokenConfig(file, `Its \`${key}\` is not an array.`, body, list.offset)
    return [(list.children ?? []).flatMap((node, index) => entryAt(body, node, [key, index]) ?? [])]
  })
  return lists.length === 0 ? undefined : lists.flat()
}

function entryAt(body: string, node: Node, path: JsonPath): PluginEntry | undefined {
  // OpenCode 1 reads `[specifier, options]`, OpenCode 2 also `{package, options}`.
  const isPair = node.type === "array"
  const given = isPair ? node.children?.[0] : node.type === "object" ? valueAt(node, "package") : node
  const specifier = given && plainValue(body, given)
  if (typeof specifier !== "string") return undefined
  const optionsNode = isPair ? node.children?.[1] : valueAt(node, "options")
  const options = optionsNode && plainValue(body, optionsNode)
  const limitPath = [...path, isPair ? 1 : "options", ONLY_IN]
  return { specifier, options, projects: onlyIn(options), path, limitPath }
}

/** Parses the value from the file's text, because variables are masked in the tree. */
function plainValue(body: string, { offset, length }: Node): unknown {
  return parse(body.slice(offset, offset + length), [], { allowTrailingComma: true })
}

export function hasPluginList(text: string, file: string): boolean {
  return valueAt(parseJsonc(text, file).root, PLUGIN_KEYS[0]) !== undefined
}

/** Adds the entry. A new or blank config also gets OpenCode's `$schema`. */
export function addPlugin(text: string, entry: NewEntry, file: string, key: string = PLUGIN_KEYS[0]): string {
  const isBlank = text.replace("\uFEFF", "").trim() === ""
  if (isBlank && key === PLUGIN_KEYS[0])
    return (text.startsWith("\uFEFF") ? "\uFEFF" : "") + newConfig(entry, file)
  return editJsonc(text, [key], { append: entry }, file)
}

export function newConfig(entry: NewEntry, file: string): string {
  const schema = /tui\.jsonc?$/.test(file) ? "tui.json" : "config.json"
  return `{\n  "$schema": "https://opencode.ai/${schema}",\n  "plugin": [${JSON.stringify(entry)}]\n}\n`
}

/** Removes matching entries. Of an entry for several projects, removes only the project that `isProject` matches. */
export function removeEntries(
  text: string,
  file: string,
  isTarget: (entry: PluginEntry) => boolean,
  { isProject, dropEmpty }: { isProject?: ((project: string) => boolean) | undefined; dropEmpty: boolean },
): string {
  const entry = pluginEntries(text, file)?.find(isTarget)
  if (entry === undefined) return text
  const { path, projects = [], limitPath } = entry
  const isShared = isProject !== undefined && projects.length > 1
  const removed = isShared ? [...limitPath, projects.findIndex(isProject)] : path
  const shorter = editJsonc(text, removed, { remove: true }, file)
  const result = isShared || !dropEmpty ? shorter : withoutEmptyList(shorter, String(path[0]), file)
  return removeEntries(result, file, isTarget, { isProject, dropEmpty })
}

function withoutEmptyList(text: string, key: string, file: string): string {
  const { body, root } = parseJsonc(text, file)
  const list = valueAt(root, key)
  // A list that contains a user's comment is kept.
  const isEmpty = list !== undefined && /^\[\s*\]$/.test(body.slice(list.offset, list.offset + list.length))
  return isEmpty ? editJsonc(text, [key], { remove: true }, file) : text
}

export const PLUGIN_KEYS = ["plugin", "plugins"] as const
