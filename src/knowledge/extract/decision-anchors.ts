import { isAnchorKept, isMemInForce } from "../../graph/lifecycle.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import { cleanText } from "../../shared/text/clean.ts"
import { addOnce, memByRule, replaceMems } from "../memory/by-rule.ts"

/**
 * Makes a mem of every decision that was saved as an anchor, so that recall finds it after the anchor was removed. A changed
 * value supersedes the old mem; so does removing the anchor.
 */
export async function extractDecisions(hive: Hive, caller: Caller): Promise<Mem[]> {
  const { state } = hive.store.read()
  const decisions = [...state.anchor.values()]
    .filter(({ type, status }) => type === "decision" && status !== "stale")
    .map((anchor) => {
      const mem = isAnchorKept(anchor) ? memOf(anchor, state, hive.config.stale_after_hours) : null
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

function memOf(anchor: Anchor, state: GraphState, staleAfterHours: number): Mem {
  const { id, key, value, session_id, related_to, updated_at } = anchor
  return memByRule(
    {
      id: derivedId("decision of an anchor", id, value),
      shelf: "decisions",
      origin: "anchor",
      kind: "decision",
      content: cleanText(`${key}: ${value}`, MAX_CHARS),
      session_id,
      stamp: sessionOf(state, session_id)?.stamp ?? anchor.stamp,
      origin_task_id: related_to.find((each) => state.task.has(each)) ?? null,
      resolved: true,
      related_to: [id],
      branch: anchor.branch,
    },
    updated_at,
    staleAfterHours,
  )
}

const MAX_CHARS = 2000
