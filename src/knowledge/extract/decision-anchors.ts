import { isAnchorKept, isMemInForce } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import { cleanText } from "../../shared/text/clean.ts"
import { addOnce, memByRule, replaceMems } from "../memory/by-rule.ts"

/** Makes a mem of every decision anchor. Changing or removing the anchor supersedes the old mem. */
export async function extractDecisions(hive: Hive, caller: Caller): Promise<Mem[]> {
  const { state } = hive.store.read()
  const decisions = [...state.anchor.values()]
    .filter(({ type, status }) => type === "decision" && status !== "stale")
    .map((anchor) => {
      const mem = isAnchorKept(anchor) ? memOf(hive, anchor) : null
      return { mem, outdated: memsOf(state, anchor).filter(({ id }) => id !== mem?.id) }
    })
  const made: Mem[] = []
  for (const { mem, outdated } of decisions)
    if (outdated.length > 0) made.push(...(await replaceMems(hive, caller, outdated, mem)))
  const fresh = decisions.flatMap(({ mem, outdated }) => (mem !== null && outdated.length === 0 ? [mem] : []))
  return [...made, ...(await addOnce(hive, caller, fresh))]
}

function memsOf(state: GraphState, { id }: Anchor): Mem[] {
  return [...state.mem.by("related_to", id)].filter((mem) => mem.origin === "anchor" && isMemInForce(mem))
}

function memOf(
  hive: Hive,
  { id, key, value, session_id, related_to, updated_at, stamp, branch }: Anchor,
): Mem {
  const { task } = hive.store.read().state
  return memByRule(hive, updated_at, {
    id: derivedId("decision of an anchor", id, value),
    shelf: "decisions",
    origin: "anchor",
    kind: "decision",
    content: cleanText(`${key}: ${value}`, MAX_CHARS),
    session_id,
    stamp,
    origin_task_id: related_to.find((each) => task.has(each)) ?? null,
    resolved: true,
    related_to: [id],
    branch,
  })
}

const MAX_CHARS = 2000
