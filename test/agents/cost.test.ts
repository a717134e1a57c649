import { expect, it } from "vitest"
import { say } from "../live/bed/steps.ts"
import { openHookedBed } from "./hooked-bed.ts"

it.each(["codex", "gemini"] as const)(
  "%s: the tokens of each answer are in the ledger once",
  async (agent) => {
    await using bed = await openHookedBed(agent)
    bed.model.script(
      { ...bed.does.run("echo one"), usage: { input: 5000, output: 100, cached: 1000 } },
      say("Done.", { usage: { input: 6000, output: 50, cached: 5000 } }),
    )
    await bed.prompt("Count")
    // Answers that the end of the first process cut off are counted in the next one.
    bed.model.script(say("Done.", { usage: { input: 7000, output: 10 } }))
    await bed.prompt("Count on", { resume: true })
    const { stdout } = await bed.hivemind("cost", "--json")
    expect(JSON.parse(stdout).total).toMatchObject({ input: 12_000, cache_read: 6000, output: 160 })
  },
)
