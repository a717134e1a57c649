/**
 * Names of several words by their first letters: `Entity Framework` is found as `EF`, and `Role Based Access Control` as
 * `RBAC`. The word that begins a sentence has a capital too, so the name may also begin behind it.
 */
export function initialsIn(text: string): { letters: string; from: string }[] {
  const found: { letters: string; from: string }[] = []
  for (const [run] of text.matchAll(CAPITALISED)) {
    const words = run.split(BETWEEN)
    for (let first = 0; first < Math.min(words.length - 1, 2); first++) {
      const name = words.slice(first)
      found.push({
        letters: name
          .map((word) => word[0] ?? "")
          .join("")
          .toLowerCase(),
        from: name.join(" "),
      })
    }
  }
  return found
}

const CAPITALISED = /\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+){1,4}\b/g
const BETWEEN = /[ -]/
