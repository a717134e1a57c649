import { isActiveSession } from "../graph/lifecycle.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { SessionFiles } from "../views/session-file/update.ts"
import { closeSession } from "../work/session/close.ts"
import type { Step } from "./background.ts"
import type { TurnInput } from "./turn-input.ts"

/** A session was deleted in the host: it holds nothing any more. */
export function sessionEnd({ hive }: TurnInput, files: SessionFiles) {
  async function close(session: string): Promise<void> {
    const opened = await hive()
    if (!isActiveSession(sessionOf(opened.store.read().state, session))) return
    await closeSession(opened, { session, agent: null, tool: "session deleted" })
  }

  return (session: string): Step[] => [
    ["close", () => close(session)],
    ["session file", async () => files.update(await hive(), session)],
  ]
}
