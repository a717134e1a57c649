import { expect, it } from "vitest"
import { prefixFigures } from "../live/bed/prefix.ts"
import { say } from "../live/bed/steps.ts"
import { noTerminal } from "../live/bed/terminal.ts"
import { ofTurn, openHookedBed, sentText } from "./hooked-bed.ts"

const TURNS = 12

it("gemini keeps the whole prefix over twelve turns of three calls in one process; resumed, it rebuilds its history itself", async ({
  skip,
}) => {
  if (noTerminal !== undefined) skip(noTerminal)
  await using bed = await openHookedBed("gemini", { files: { "notes.md": "Some notes.\n" } })
  await using screen = bed.onScreen()
  await screen.shows("Type your message")
  for (let turn = 0; turn < TURNS; turn++) {
    bed.model.script(
      bed.does.hive("memory save", { content: `Decision ${turn} is made`, kind: "decision" }),
      bed.does.run("cat notes.md"),
      bed.does.write(`b${turn}.txt`, "b"),
      say(`Done ${turn}.`),
    )
    const text = `Turn ${turn}, please: do what is next`
    screen.type(text)
    await screen.shows(text)
    await expect
      .poll(
        () => {
          // Gemini takes an Enter that follows typed text at once for a line break, so it is pressed until the prompt is sent.
          screen.press("Enter")
          return screen.screen()
        },
        { timeout: 40_000, interval: 1000 },
      )
      .toContain(`> ${text}`)
    await screen.shows(`Done ${turn}.`)
  }
  const requests = ofTurn(bed.model.requests)
  expect(requests).toHaveLength(4 * TURNS)
  expect(new Set(prefixFigures(requests).kept)).toEqual(new Set([1]))
  expect(sentText(requests.at(-1))).toContain("Decision 10 is made")
}, 600_000)
