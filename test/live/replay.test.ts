import { join } from "node:path"
import { expect, it } from "vitest"
import { countTokens } from "../../src/shared/text/tokens.ts"
import { tools } from "../../src/tools/index.ts"
import { PROTOCOL } from "../../src/turns/turn-transcript.ts"
import { fixedCost } from "../../src/views/context/injected.ts"
import { replayTurn } from "../../src/views/context/turns.ts"
import { defined } from "../support/defined.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import { hive, save, write } from "./bed/steps.ts"

it("replay has everything HiveMind sent the model on a past turn, and the fixed cost of each request", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  await bed.prompt(session, "Start", hive("session start", { intent: "Build the tolls" }))
  const refused = write(join(bed.project, ".hivemind/system/config.json"), "{}")
  const turn = await bed.prompt(session, "Go on", save("Tolls are in cents"), refused)
  await bed.prompt(session, "Thanks")

  // The turn does not wait for its record.
  await expect.poll(async () => (await replayed(bed, session.id, "2")).told.length).toBe(2)
  const replay = await replayed(bed, session.id, "2")
  const last = defined(turn.requests.at(-1))
  const shown = [...replay.in_sight, replay.turn].flatMap(({ parts }) => parts)
  expect(injectedTexts(last)).toEqual(shown)
  const body = JSON.stringify(last.body)
  for (const { text } of replay.told) expect(body).toContain(JSON.stringify(text).slice(1, -1))
  expect(replay.told.map(({ kind }) => kind)).toEqual(["reply", "refusal"])

  const { system, tools: cost } = fixedCost(PROTOCOL, tools)
  expect(body).toContain(JSON.stringify(system.text).slice(1, -1))
  const { tools: sent = [] } = last.body as { tools?: { function: { name: string } }[] }
  const ours = sent.filter(({ function: { name } }) => name.startsWith("hivemind_"))
  const real = countTokens(JSON.stringify(ours))
  expect(Math.abs(cost.tokens / real - 1)).toBeLessThan(0.1)
  expect(real + system.tokens).toBeLessThanOrEqual(1900)
})

async function replayed(bed: Bed, session: string, turn: string) {
  const opened = await openProcess(bed.project)
  try {
    return await replayTurn(opened, session, turn)
  } finally {
    await opened.store.close()
  }
}
