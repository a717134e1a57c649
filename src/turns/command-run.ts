import { recordCommand } from "../work/session/command.ts"
import type { Step } from "./background.ts"
import type { TurnInput } from "./turn-input.ts"

/** The user has run a command of the host, and its turn is over. */
export function commandRun({ hive }: TurnInput) {
  return (session: string, name: string, words: string): Step[] => [
    [
      "note of a command",
      async () => recordCommand(await hive(), { session, agent: null, tool: "command" }, name, words),
    ],
  ]
}
