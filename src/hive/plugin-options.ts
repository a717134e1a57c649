import { realPath } from "./locate.ts"

/**
 * An option of the plugin's entry in the user-wide config of OpenCode: the folders whose hive it may use. The plugin loads
 * in every project then, and does nothing in the others.
 */
export const ONLY_IN = "only_in"

/** The folders that an entry is limited to; undefined where it holds for every project. */
export function onlyIn(options: unknown): string[] | undefined {
  const folders: unknown = isObject(options) ? options[ONLY_IN] : undefined
  if (folders === undefined) return undefined
  // A value of another type still means that the user wanted a limit.
  return Array.isArray(folders) ? folders.filter((each) => typeof each === "string") : []
}

/** Whether an entry with these options makes HiveMind active for the hive in `home`. */
export function isEnabledFor(home: string, options: unknown): boolean {
  const here = realPath(home)
  return onlyIn(options)?.some((folder) => realPath(folder) === here) ?? true
}

/** The options that are HiveMind's configuration. */
export function configInOptions(options: unknown): unknown {
  if (!isObject(options) || !Object.hasOwn(options, ONLY_IN)) return options
  const { [ONLY_IN]: _, ...config } = options
  return config
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
