import { purgeAnchors } from "../../lib/anchor/purge.ts"
import type { Step } from "../background.ts"
import type { MomentInput } from "./moment.ts"

/** The host has replaced the conversation by a summary of it. */
export function compacted({ hive, log }: MomentInput) {
  async function count(session: string): Promise<void> {
    const { store } = await hive()
    await store.append({ tool: "compaction", session, agent: null }, (tx) => tx.count(session, "compactions"))
  }

  async function purge(session: string): Promise<void> {
    const count = await purgeAnchors(await hive(), { session, agent: null, tool: "compaction" })
    if (count > 0) log("info", `${count} stale anchor(s) removed`)
  }

  return (session: string): Step[] => [
    ["count of a compaction", () => count(session)],
    ["purge of anchors", () => purge(session)],
  ]
}
