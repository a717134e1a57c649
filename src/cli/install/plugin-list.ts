import { type Node, parse } from "jsonc-parser"
import { ONLY_IN, onlyIn } from "../../hive/plugin-options.ts"
import { brokenConfig, editJsonc, type JsonPath, parseJsonc, valueAt } from "./jsonc.ts"

/** An entry as it is written: a specifier, alone or with options. */
export type NewEntry = string | [specifier: string, options: Record<string, unknown>]

/** An entry in a config's list of plugins. */
export interface PluginEntry {
  specifier: string
  options: unknown
  /** The projects that it is limited to; undefined if it is for all of them. */
  projects: string[] | undefined
  path: JsonPath
  /** Where its limit is, if it has one. */
  limitPath: JsonPath
}

/**
 * The entries of a config's `plugin` and `plugins` arrays, or undefined if it has neither. OpenCode 1 reads the first,
 * OpenCode 2 both. `file` is for the error.
 */
export function pluginEntries(text: string, file: string): PluginEntry[] | undefined {
  const { body, root } = parseJsonc(text, file)
  const lists = PLUGIN_KEYS.flatMap((key) => {
    const list = valueAt(root, key)
    if (list !== undefined && list.type !== "array")
      throw brokenConfig(file, `Its \`${key}\` is not an array.`, body, list.offset)
    return list === undefined ? [] : [{ key, nodes: list.children ?? [] }]
  })
  if (lists.length === 0) return undefined
  return lists.flatMap(({ key, nodes }) =>
    nodes.flatMap((node, index) => entryAt(body, node, [key, index]) ?? []),
  )
}

function entryAt(body: string, node: Node, path: JsonPath): PluginEntry | undefined {
  // OpenCode 1 has `[specifier, options]`, OpenCode 2 also `{package, options}`.
  const isPair = node.type === "array"
  const given = isPair ? node.children?.[0] : node.type === "object" ? valueAt(node, "package") : node
  const specifier = given && plainValue(body, given)
  if (typeof specifier !== "string") return undefined
  const optionsNode = isPair ? node.children?.[1] : valueAt(node, "options")
  const options = optionsNode && plainValue(body, optionsNode)
  const limitPath = [...path, isPair ? 1 : "options", ONLY_IN]
  return { specifier, options, projects: onlyIn(options), path, limitPath }
}

/** The value as the file has it: in the tree, variables are masked. */
function plainValue(body: string, { offset, length }: Node): unknown {
  return parse(body.slice(offset, offset + length), [], { allowTrailingComma: true })
}

/** Whether a config has the array that both versions of OpenCode read. */
export function hasPluginList(text: string, file: string): boolean {
  return valueAt(parseJsonc(text, file).root, PLUGIN_KEYS[0]) !== undefined
}

/** A new or blank config gets OpenCode's schema too. */
export function addPlugin(text: string, entry: NewEntry, file: string, key: string = PLUGIN_KEYS[0]): string {
  const isBlank = text.replace("\uFEFF", "").trim() === ""
  if (isBlank && key === PLUGIN_KEYS[0])
    return (text.startsWith("\uFEFF") ? "\uFEFF" : "") + newConfig(entry, file)
  return editJsonc(text, [key], { append: entry }, file)
}

/** A config that holds nothing but the plugin: of OpenCode, or of its terminal UI. */
export function newConfig(entry: NewEntry, file: string): string {
  const schema = /tui\.jsonc?$/.test(file) ? "tui.json" : "config.json"
  return `{\n  "$schema": "https://opencode.ai/${schema}",\n  "plugin": [${JSON.stringify(entry)}]\n}\n`
}

/**
 * The text without the entries that `isTarget` names. An entry that is limited to several projects is kept if `isProject` is
 * given, and loses that project only. With `dropEmpty` an empty list goes too, for a list that we had added.
 */
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
