import type { Step } from "../background.ts"
import type { MomentInput } from "./moment.ts"

/** A tool that fails by itself runs no after-hook; only an event tells, more than once. */
export function toolFailed({ hive }: MomentInput) {
  const counted = new Set<string>()

  async function count(session: string, tool: string): Promise<void> {
    const { store } = await hive()
    await store.append({ tool: "event", session, agent: null }, (tx) => {
      tx.count(session, "tool_failures")
      tx.count(session, `failures of ${tool}`)
    })
  }

  return (session: string, tool: string, callID: string): Step[] => {
    if (counted.has(callID)) return []
    if (counted.size > MAX_COUNTED) counted.clear()
    counted.add(callID)
    return [["count of a failure", () => count(session, tool)]]
  }
}

const MAX_COUNTED = 1000
