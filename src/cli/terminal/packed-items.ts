import type { Dropped, ItemFacts, ItemRef } from "../../context/pack/item.ts"
import { shortId } from "../../shared/ids.ts"

interface PackedItem extends ItemFacts {
  tokens: number
}

/** Each item with its reason and cost, in columns. */
export function packedItemLines(items: readonly PackedItem[]): string[] {
  const width = Math.max(0, ...items.map(({ section }) => section.length))
  return items.map(
    (item) =>
      `  ${item.section.padEnd(width)}  ${String(item.tokens).padStart(4)}  ${labelOf(item)}  ${item.reason}`,
  )
}

export function droppedItemLines(dropped: readonly Dropped[]): string[] {
  return dropped.map(({ section, reason, count }) => `  left out  ${count} of ${section}: ${reason}`)
}

/** `mem 0a1b2c3d`, `task 0a1b2c3d next`, `warning failures`. */
function labelOf({ kind, id, role, on }: ItemRef): string {
  const named = kind === "warning" ? id : shortId(id)
  const shownAs = role === kind ? "" : role
  return [kind, named, shownAs, shortId(on ?? "")].filter((part) => part !== "").join(" ")
}
