/** Each id cut to its first eight characters, or as many more as tell it from all the others: `undo` takes these. */
export function shortIds(ids: string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort()
  const short = new Map<string, string>()
  sorted.forEach((id, index) => {
    const shared = Math.max(
      sharedStart(id, sorted[index - 1] ?? ""),
      sharedStart(id, sorted[index + 1] ?? ""),
    )
    short.set(id, id.slice(0, Math.max(SHORTEST, shared + 1)))
  })
  return short
}

function sharedStart(a: string, b: string): number {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}

const SHORTEST = 8
