import { realPath } from "./locate.ts"

/** The option that limits the plugin to some projects. Without it, OpenCode loads the plugin in every project. */
export const ONLY_IN = "only_in"

export function onlyIn(options: unknown): string[] | undefined {
  const folders: unknown = isObject(options) ? options[ONLY_IN] : undefined
  if (folders === undefined) return undefined
  // An invalid value counts as an empty list: the plugin is enabled nowhere.
  return Array.isArray(folders) ? folders.filter((each) => typeof each === "string") : []
}

export function isEnabledFor(home: string, options: unknown): boolean {
  const here = realPath(home)
  return onlyIn(options)?.some((folder) => realPath(folder) === here) ?? true
}

/** Returns the plugin's options without `only_in`. The others are options of HiveMind's configuration. */
export function configInOptions(options: unknown): unknown {
  if (!isObject(options) || !Object.hasOwn(options, ONLY_IN)) return options
  const { [ONLY_IN]: _, ...config } = options
  return config
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
