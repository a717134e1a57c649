import { tally } from "../watch/tally.ts"
import type { Step } from "./background.ts"
import type { TurnInput } from "./turn-input.ts"

/** How a turn has ended: the user stopped it, or it came to its end. */
export type TurnOutcome = "cancelled turn" | "good turn"

export function answerEnded({ hive }: TurnInput) {
  async function count(session: string, what: TurnOutcome): Promise<void> {
    await tally(await hive(), { session, agent: null, tool: "turn" }, { what })
  }

  return (session: string, what: TurnOutcome): Step[] => [[`count of a ${what}`, () => count(session, what)]]
}
