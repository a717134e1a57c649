import { oneLine } from "../../shared/text/clean.ts"

/** The same with every text fit for a terminal: names of files and what stands in them may hold signs that it obeys. */
export function cleanValues<T>(value: T): T {
  if (typeof value === "string") return oneLine(value) as T
  if (Array.isArray(value)) return value.map(cleanValues) as T
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleanValues(each)])) as T
}
