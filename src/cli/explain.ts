import type { Dropped } from "../context/pack/item.ts"

interface Explained {
  key: string
  section: string
  reason: string
  tokens: number
}

/** Each item with its reason and cost, in columns. */
export function explainItems(items: readonly Explained[]): string[] {
  const width = Math.max(0, ...items.map(({ section }) => section.length))
  return items.map(
    ({ key, section, reason, tokens }) =>
      `  ${section.padEnd(width)}  ${String(tokens).padStart(4)}  ${shortKey(key)}  ${reason}`,
  )
}

export function explainDropped(dropped: readonly Dropped[]): string[] {
  return dropped.map(({ section, reason, count }) => `  left out  ${count} of ${section}: ${reason}`)
}

/** `mem 0a1b2c3d` instead of the whole id. */
function shortKey(key: string): string {
  return key.replaceAll(/([0-9a-f]{8})-[0-9a-f-]{27}/g, "$1")
}
