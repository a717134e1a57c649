import { expect, it } from "vitest"
import type { ModelRequest } from "../live/bed/model-request.ts"
import { say } from "../live/bed/steps.ts"
import { noTerminal } from "../live/bed/terminal.ts"
import { openHookedBed, sentText } from "./hooked-bed.ts"

const ROUNDS = [1, 2, 3]

it("codex shows the whole state again after each of three compactions within a turn", async () => {
  await using bed = await openHookedBed("codex")
  const args = ["-c", "model_auto_compact_token_limit=50000"]
  const full = { usage: { input: 60_000, output: 10 } }
  bed.model.script(
    bed.does.hive("session update", { level: "action", content: "Build the cart" }),
    say("Begun."),
  )
  await bed.prompt("From now on use pnpm. Build the cart.", { args })
  for (const round of ROUNDS) {
    bed.model.script({ ...bed.does.run("echo one"), ...full }, say(`Round ${round}.`))
    const { requests } = await bed.prompt(`Go on, round ${round}`, { resume: true, args })
    expect(requests.map(({ kind }) => kind).slice(0, 3)).toEqual(["turn", "compaction", "turn"])
    expectAgain(requests[2])
  }
})

it("gemini shows the whole state again after each of three compressions, with the first call after them", async ({
  skip,
}) => {
  if (noTerminal !== undefined) skip(noTerminal)
  await using bed = await openHookedBed("gemini")
  bed.model.hidden.compaction = say("<state_snapshot><overall_goal>the cart</overall_goal></state_snapshot>")
  const full = { usage: { input: 700_000, output: 10 } }
  await using screen = bed.onScreen()
  await screen.shows("Type your message")
  const ask = async (text: string, until: string) => {
    screen.type(text)
    await screen.shows(text)
    screen.press("Enter")
    await screen.shows(until)
  }
  bed.model.script(
    bed.does.hive("session update", { level: "action", content: "Build the cart" }),
    // A short history is not worth a summary to the program.
    bed.does.run("seq 1 4000"),
    say("Begun.", full),
  )
  await ask("From now on use pnpm. Build the cart.", "Begun.")
  for (const round of ROUNDS) {
    bed.model.script(bed.does.run("seq 1 4000"), say(`Round ${round}.`, full))
    await ask(`Go on, round ${round}`, `Round ${round}.`)
    expect(sentText(bed.model.lastTurn())).toContain("<state_snapshot>")
    expectAgain(bed.model.lastTurn())
  }
})

function expectAgain(request: ModelRequest | undefined): void {
  expect(sentText(request).match(/[<[]\/hivemind_state[>\]]/g)).toHaveLength(1)
  expect(sentText(request)).toContain("use pnpm.")
  expect(sentText(request)).toMatch(/[<[]task[^\n]*Build the cart/)
}
