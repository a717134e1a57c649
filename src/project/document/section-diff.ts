import { shorten } from "../../shared/text/clean.ts"
import type { Section } from "./sections.ts"

/** How two states of a document differ, by headings. */
export interface SectionDiff {
  added: string[]
  removed: string[]
  changed: string[]
  /** The same sections in another order. */
  isReordered: boolean
}

/** Headings may repeat: of those with one heading, the sections that stayed the same are matched first. */
export function diffSections(before: readonly Section[], after: readonly Section[]): SectionDiff {
  const diff: SectionDiff = { added: [], removed: [], changed: [], isReordered: false }
  const old = byHeading(before)
  const fresh = byHeading(after)
  for (const heading of new Set([...fresh.keys(), ...old.keys()])) {
    const gone = [...(old.get(heading) ?? [])]
    const news = (fresh.get(heading) ?? []).filter((hash) => {
      const same = gone.indexOf(hash)
      if (same >= 0) gone.splice(same, 1)
      return same < 0
    })
    const changed = Math.min(gone.length, news.length)
    for (let n = 0; n < changed; n++) diff.changed.push(heading)
    for (let n = changed; n < news.length; n++) diff.added.push(heading)
    for (let n = changed; n < gone.length; n++) diff.removed.push(heading)
  }
  const isSame = diff.added.length + diff.removed.length + diff.changed.length === 0
  return { ...diff, isReordered: isSame && !sameSections(before, after) }
}

export function sameSections(a: readonly Section[], b: readonly Section[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ heading, hash }, n) => heading === b[n]?.heading && hash === b[n].hash)
  )
}

/** The headings in a few words for the model, or "yes" where there are none to name. */
export function describeDiff({ added, removed, changed, isReordered }: SectionDiff): string {
  const all = [
    ...changed,
    ...added.map((heading) => `${heading} (new)`),
    ...removed.map((heading) => `${heading} (gone)`),
    ...(isReordered ? ["order of the sections"] : []),
  ]
  if (all.length === 0) return "yes"
  const shown = all.slice(0, MAX_NAMED).map((heading) => shorten(heading, MAX_WIDTH))
  const more = all.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ")
}

function byHeading(sections: readonly Section[]): Map<string, string[]> {
  const map = new Map<string, string[]>()
  for (const { heading, hash } of sections) map.set(heading, [...(map.get(heading) ?? []), hash])
  return map
}

const MAX_NAMED = 5
const MAX_WIDTH = 40
