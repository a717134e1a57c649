/** The first few of some paths, for a person. */
export function described(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? " and more" : ""
  return paths.slice(0, MAX_NAMED).join(", ") + more
}

export const MAX_NAMED = 3
