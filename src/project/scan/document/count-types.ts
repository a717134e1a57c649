import type { DocumentEntry } from "../../../schemas/project-map.ts"

/** How many documents there are of each type. */
export function countTypes(documents: readonly DocumentEntry[]): Map<DocumentEntry["type"], number> {
  const counts = new Map<DocumentEntry["type"], number>()
  for (const { type } of documents) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}
