import { parse } from "jsonc-parser"

/** The options beside a specifier in a config's `plugin` array; undefined where it stands alone. */
export function pluginOptions(text: string, specifier: string): unknown {
  const config: unknown = parse(text, [], { allowTrailingComma: true })
  if (typeof config !== "object" || config === null || !("plugin" in config)) return undefined
  const entries = Array.isArray(config.plugin) ? (config.plugin as unknown[]) : []
  const entry = entries.find((each) => Array.isArray(each) && each[0] === specifier)
  return Array.isArray(entry) ? entry[1] : undefined
}
