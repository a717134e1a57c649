import { resolveId } from "../../graph/resolve-id.ts"
import { uniqueId } from "../../graph/unique-id.ts"
import type { Hive } from "../../hive/hive.ts"
import { listAnchors, requireAnchor } from "../../knowledge/anchor/find.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"

/** An anchor in a list. */
export interface AnchorRow extends Anchor {
  /** The start of the id, enough for every command. */
  short: string
  isStale: boolean
  /** Why it stands where it stands. */
  why: string
}

export interface AnchorFilter {
  priority?: Anchor["priority"]
  type?: Anchor["type"]
  /** Only those that nobody has confirmed for long, or whose file has changed. */
  stale?: boolean
  words?: string
}

/** All that were not removed, the most important for the project's position first. */
export function listAnchorRows(
  hive: Hive,
  { priority, type, stale, words }: AnchorFilter = {},
  paging: Paging = EVERYTHING,
): Page<AnchorRow> {
  const { state } = hive.store.read()
  const anchors = listAnchors(hive, null)
    .filter(({ anchor }) => priority === undefined || anchor.priority === priority)
    .filter(({ anchor }) => type === undefined || anchor.type === type)
    .filter(({ isStale }) => stale !== true || isStale)
    .filter(({ anchor }) => hasWords(words, anchor.key, anchor.value))
  return pageWith(anchors, paging, ({ anchor, isStale, reason }) => ({
    ...anchor,
    short: uniqueId(state, anchor.id),
    isStale,
    why: reason,
  }))
}

/** One by its key, its id, or the start of that. */
export function anchorDetail(hive: Hive, given: string): AnchorRow {
  const { items: rows } = listAnchorRows(hive)
  const { state } = hive.store.read()
  const byKey = rows.find(({ key }) => key.toLowerCase() === given.trim().toLowerCase())
  if (byKey !== undefined) return byKey
  const id = idOf()
  return rows.find((row) => row.id === id) ?? { ...unlisted(), short: given, isStale: false, why: "" }

  function idOf(): string | undefined {
    try {
      return resolveId(state, "anchor", given)
    } catch {
      return undefined // Then it is a key that is not there, and the error names those that are.
    }
  }
  function unlisted(): Anchor {
    return requireAnchor((index, key) => state.anchor.by(index, key), given)
  }
}
