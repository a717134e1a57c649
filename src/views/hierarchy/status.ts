import { headOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { shortId } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { duration } from "../../shared/time.ts"
import { gapToNow } from "./gaps.ts"
import { foldable } from "./prune.ts"
import { renderTree, type Surveyed, surveyTree } from "./render.ts"
import { growTree, type Tree } from "./tree.ts"

/** The tree for a model, within a token budget: the session's position, the time since the last step, what can be folded. */
export function* hierarchyStatus(hive: Hive, session: string): Pausing<Record<string, unknown>> {
  const { state } = hive.store.read()
  const tree = yield* growTree(state, headOf(state, session))
  const here = tree.path.at(-1)
  const since = yield* gapToNow(state, tree, hive.source.now())
  const surveyed = yield* surveyTree(tree, MAX_NODES)
  const long = surveyed.gaps.filter(({ severity }) => severity !== "healthy")
  return {
    tree: yield* withinTokens(tree, { ...surveyed, gaps: long }),
    here: here === undefined ? null : `${shortId(here.id)} ${shorten(here.title, MAX_TITLE)}`,
    since_last_step: since === null ? null : `${duration(since.ms)}, ${since.severity}`,
    gaps: {
      warm: long.filter(({ severity }) => severity === "warm").length,
      stale: long.filter(({ severity }) => severity === "stale").length,
    },
    can_be_pruned: foldable(state, tree).length,
  }
}

/** Shows fewer and fewer nodes until the tree fits; the others become counts. */
function* withinTokens(tree: Tree, surveyed: Surveyed): Pausing<string> {
  if (tree.roots.length === 0) return "no plans yet"
  for (let limit = MAX_NODES; ; limit = Math.floor(limit * 0.8)) {
    const text = renderTree(tree, { width: WIDTH, limit }, surveyed).join("\n")
    if (countTokens(text) <= MAX_TOKENS || limit <= tree.path.length) return text
    yield
  }
}

const MAX_TOKENS = 1100
const MAX_NODES = 80
const WIDTH = 100
const MAX_TITLE = 80
