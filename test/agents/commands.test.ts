import { expect, it } from "vitest"
import { say } from "../live/bed/steps.ts"
import { openHookedBed, sentText } from "./hooked-bed.ts"

it.each([
  ["claude", "/hivemind:hive-plan", "hivemind:hive-executor"],
  ["gemini", "/hive-plan", "hive-executor"],
] as const)("%s has our commands and agents", async (agent, command, executor) => {
  await using bed = await openHookedBed(agent)
  bed.model.script(say("Here it is."))
  const { requests } = await bed.prompt(`${command} a shop with a cart`)
  expect(sentText(requests[0])).toContain("Make a plan for: a shop with a cart")
  expect(sentText(requests[0])).toContain(executor)
})
