import { ALL } from "../../graph/indexes.ts"
import { isAnchorKept } from "../../graph/lifecycle.ts"
import { placeOf } from "../../graph/place.ts"
import { headOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import type { Hive } from "../../hive/hive.ts"
import { fileLook } from "../../project/document/file-look.ts"
import { type Anchor, anchorKey } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"
import { callText } from "../../shared/tool-names.ts"
import { type ScoredAnchor, scoreAnchors } from "./score.ts"
import { staleAnchors } from "./staleness.ts"

/** All anchors that were not removed, the most important for the session's place first. */
export function listAnchors(hive: Hive, session: string | null): ScoredAnchor[] {
  const { state } = hive.store.read()
  const now = hive.source.now()
  const unmarked = new Set(staleAnchors(state, fileLook(hive.dir), now).map(({ anchor }) => anchor))
  return scoreAnchors(state, placeOf(state, headOf(state, session)), now).map((scored) => ({
    ...scored,
    isStale: scored.isStale || unmarked.has(scored.anchor),
  }))
}

export function getAnchor(hive: Hive, key: string): { anchor: Anchor; isStale: boolean } {
  const { state } = hive.store.read()
  const anchor = requireAnchor((index, each) => state.anchor.by(index, each), key)
  const unmarked = staleAnchors(state, fileLook(hive.dir), hive.source.now(), [anchor])
  return { anchor, isStale: anchor.status === "stale" || unmarked.length > 0 }
}

/** Finds anchors in a state or in a transaction. */
type FindAnchors = (index: "key" | "kept", key: string) => Iterable<Anchor>

/** The anchor with that key. Throws if there is none, and names those there are. */
export function requireAnchor(find: FindAnchors, key: string): Anchor {
  const found = findAnchor(find, key)
  if (found !== undefined && isAnchorKept(found)) return found
  const keys = first(MAX_NAMED, find("kept", ALL)).map((anchor) => anchor.key)
  throw new HiveError({
    code: "not_found",
    what: `There is no anchor "${key}".`,
    why: found === undefined ? "No anchor has this key." : "It was removed.",
    use_instead: `Use a key that ${callText("anchor", "list")} shows, or save it.`,
    evidence: keys.join(", ") || "no anchors",
  })
}

/** The anchor with that key, else the one removed last. */
export function findAnchor(find: FindAnchors, key: string): Anchor | undefined {
  const named = [...find("key", anchorKey(key))]
  return named.find(isAnchorKept) ?? named.sort((a, b) => b.updated_at.localeCompare(a.updated_at))[0]
}

const MAX_NAMED = 10
