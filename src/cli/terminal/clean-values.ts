import { oneLine } from "../../shared/text/clean.ts"

/** The same with every text on one line: a line break in the name of a file would look like a line of ours. */
export function cleanValues<T>(value: T): T {
  if (typeof value === "string") return oneLine(value) as T
  if (Array.isArray(value)) return value.map(cleanValues) as T
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleanValues(each)])) as T
}
