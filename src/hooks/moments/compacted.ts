import type { SessionFiles } from "../../lib/session-file/keep.ts"
import type { Step } from "../background.ts"
import type { MomentInput } from "./moment.ts"

/** The host has replaced the conversation by a summary of it. */
export function compacted({ hive }: MomentInput, files: SessionFiles) {
  async function count(session: string): Promise<void> {
    const { store } = await hive()
    await store.append({ tool: "compaction", session, agent: null }, (tx) => tx.count(session, "compactions"))
  }

  return (session: string): Step[] => [
    ["count of a compaction", () => count(session)],
    ["session file", async () => files.keep(await hive(), session)],
  ]
}
