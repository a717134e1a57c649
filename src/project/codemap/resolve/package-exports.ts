/** The target that `exports` or `imports` of a package name for a key (`.`, `./sub`, `#name`); undefined where none. */
export function packageTarget(field: unknown, key: string, conditions: ReadonlySet<string>): string[] {
  const table = isTable(field) ? field : { ".": field }
  const exact = table[key]
  if (exact !== undefined && !key.includes("*")) return targetsIn(exact, conditions, "")
  const patterns = Object.keys(table)
    .filter((each) => each.includes("*") || each.endsWith("/"))
    .sort((a, b) => prefixOf(b).length - prefixOf(a).length)
  for (const pattern of patterns) {
    const [before = "", after = ""] = pattern.endsWith("/") ? [pattern] : pattern.split("*")
    if (!key.startsWith(before) || !key.endsWith(after) || key.length < before.length + after.length) continue
    return targetsIn(
      table[pattern],
      conditions,
      key.slice(before.length, key.length - after.length),
      pattern.endsWith("/"),
    )
  }
  return []
}

/** All that the conditions allow, in the order they are written: built files may be missing where sources are not. */
function targetsIn(
  value: unknown,
  conditions: ReadonlySet<string>,
  star: string,
  isFolder = false,
): string[] {
  if (typeof value === "string") return [isFolder ? value + star : value.replaceAll("*", star)]
  if (Array.isArray(value)) return value.flatMap((each) => targetsIn(each, conditions, star, isFolder))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value)
    .filter(([condition]) => conditions.has(condition))
    .flatMap(([, each]) => targetsIn(each, conditions, star, isFolder))
}

/** Keys are paths or names; else it is a target or a list of conditions for the whole package. */
function isTable(field: unknown): field is Record<string, unknown> {
  return (
    typeof field === "object" &&
    field !== null &&
    !Array.isArray(field) &&
    Object.keys(field).some((key) => /^[.#]/.test(key))
  )
}

function prefixOf(pattern: string): string {
  return pattern.split("*")[0] ?? ""
}
