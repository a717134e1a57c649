import { applyEdits, getNodeValue, type Node, parse } from "jsonc-parser"
import { HiveError } from "../../shared/error.ts"
import { appendChild, removeChild } from "./jsonc-edit.ts"
import { brokenConfig, type JsoncFile, parseJsonc, valueAt } from "./jsonc-file.ts"

/** An element of OpenCode's `plugin` array: a specifier, alone or with options. */
export type PluginEntry = string | [specifier: string, options: Record<string, unknown>]

/**
 * The specifiers in a config's `plugin` and `plugins` arrays, or undefined where it has neither. OpenCode 1 reads the first,
 * OpenCode 2 both. `file` is for the error.
 */
export function listPlugins(text: string, file: string): string[] | undefined {
  const { body, list, newer } = parseConfig(text, file)
  if (list === undefined && newer === undefined) return undefined
  const nodes = [...(list?.children ?? []), ...(newer?.children ?? [])]
  return nodes.flatMap((node) => specifierAt(body, node) ?? [])
}

/** Whether a config has the array that both versions of OpenCode read. */
export function hasPluginList(text: string, file: string): boolean {
  return parseConfig(text, file).list !== undefined
}

/** The options beside a specifier in a config's list of plugins; undefined where it has none. */
export function pluginOptions(text: string, specifier: string): unknown {
  const config: unknown = parse(text, [], { allowTrailingComma: true })
  for (const entry of [KEY, NEWER_KEY].flatMap((key) => arrayIn(config, key))) {
    if (Array.isArray(entry) && entry[0] === specifier) return entry[1]
    if (fieldIn(entry, "package") === specifier) return fieldIn(entry, "options")
  }
  return undefined
}

function arrayIn(value: unknown, key: string): unknown[] {
  const found = fieldIn(value, key)
  return Array.isArray(found) ? found : []
}

function fieldIn(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
}

/** The text with one more plugin; comments, order, indentation, line endings and byte-order mark stay. */
export function addPlugin(
  text: string,
  entry: PluginEntry,
  file: string,
  key: typeof KEY | typeof NEWER_KEY = KEY,
): string {
  const { bom, body, root, list: older, newer } = parseConfig(text, file)
  if (root === undefined)
    return bom + (key === KEY ? newConfig(entry, file) : `{\n  "${key}": [${JSON.stringify(entry)}]\n}\n`)
  const list = key === KEY ? older : newer
  const element = JSON.stringify(entry)
  const edits =
    list === undefined ? appendChild(body, root, `"${key}": [${element}]`) : appendChild(body, list, element)
  const result = bom + applyEdits(body, edits)
  checkOnlyPluginsChanged(text, result, file, (plugins) => [...plugins, entry], key)
  return result
}

/**
 * The text without every plugin that `matches`. With `dropEmpty` the key goes too when nothing is left in it,
 * for a key that we had added ourselves.
 */
export function removePlugins(
  text: string,
  matches: (specifier: string) => boolean,
  file: string,
  dropEmpty = false,
): string {
  let result = text
  for (;;) {
    const { bom, body, list, newer } = parseConfig(result, file)
    const isMatch = (node: Node) => {
      const specifier = specifierAt(body, node)
      return specifier !== undefined && matches(specifier)
    }
    const [key, found] = list?.children?.some(isMatch)
      ? ([KEY, list] as const)
      : ([NEWER_KEY, newer] as const)
    const index = found?.children?.findIndex(isMatch) ?? -1
    if (found === undefined || index < 0) break
    const shorter = bom + applyEdits(body, removeChild(body, found, index))
    checkOnlyPluginsChanged(result, shorter, file, (plugins) => plugins.toSpliced(index, 1), key)
    result = shorter
  }
  return dropEmpty && result !== text ? dropEmptyList(result, file) : result
}

/** A config that holds nothing but the plugin: of OpenCode, or of its terminal UI. */
export function newConfig(entry: PluginEntry, file: string): string {
  const schema = /tui\.jsonc?$/.test(file) ? "tui.json" : "config.json"
  return `{\n  "$schema": "https://opencode.ai/${schema}",\n  "plugin": [${JSON.stringify(entry)}]\n}\n`
}

function dropEmptyList(text: string, file: string): string {
  const { bom, body, root, list: older, newer } = parseConfig(text, file)
  const list = older ?? newer
  if (root === undefined || list === undefined) return text
  // A comment that someone wrote in there is worth more than a tidy file.
  if (!/^\[\s*\]$/.test(body.slice(list.offset, list.offset + list.length))) return text
  const index = root.children?.findIndex((property) => property.children?.[1] === list) ?? -1
  return bom + applyEdits(body, removeChild(body, root, index))
}

interface ParsedConfig extends JsoncFile {
  /** What both versions of OpenCode read. */
  list: Node | undefined
  /** What OpenCode 2 reads besides. */
  newer: Node | undefined
}

function parseConfig(text: string, file: string): ParsedConfig {
  const parsed = parseJsonc(text, file, maskVariables)
  const [list, newer] = [KEY, NEWER_KEY].map((key) => {
    const found = valueAt(parsed.root, key)
    if (found !== undefined && found.type !== "array")
      throw brokenConfig(file, `Its \`${key}\` is not an array.`, parsed.body, found.offset)
    return found
  })
  return { ...parsed, list, newer }
}

/**
 * OpenCode replaces `{env:X}` and `{file:x}` before it parses, so they may also be outside a string.
 * A number of the same length keeps every offset.
 */
function maskVariables(body: string): string {
  return body.replace(/\{(?:env|file):[^}]+\}/g, (variable) => "1".repeat(variable.length))
}

function specifierAt(body: string, node: Node): string | undefined {
  const first =
    node.type === "array" ? node.children?.[0] : node.type === "object" ? valueAt(node, "package") : node
  if (first?.type !== "string") return undefined
  try {
    const value: unknown = JSON.parse(body.slice(first.offset, first.offset + first.length))
    return typeof value === "string" ? value : undefined
  } catch {
    // Only a variable with a quote in it ends here; such an entry is not ours.
    return undefined
  }
}

/** The last guard before a person's file is written: whatever the edit did, it did it to `plugin` alone. */
function checkOnlyPluginsChanged(
  before: string,
  after: string,
  file: string,
  change: (plugins: unknown[]) => unknown[],
  key: string = KEY,
): void {
  const expected = configValue(before, file)
  const plugins: unknown = expected[key] ?? []
  expected[key] = change(Array.isArray(plugins) ? plugins : [])
  if (JSON.stringify(configValue(after, file)) === JSON.stringify(expected)) return
  throw new HiveError({
    code: "internal",
    what: `The edit of ${file} would have changed more than its plugins.`,
    why: "HiveMind checks its own edit before it writes, and this one came out wrong. The file is untouched.",
    use_instead: "Edit the `plugin` array by hand, and please report this.",
    evidence: file,
  })
}

function configValue(text: string, file: string): Record<string, unknown> {
  const { root } = parseConfig(text, file)
  return root === undefined ? {} : { ...getNodeValue(root) }
}

const KEY = "plugin"
const NEWER_KEY = "plugins"
