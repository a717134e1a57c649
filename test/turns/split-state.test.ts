import { expect, it } from "vitest"
import { splitStates } from "../../src/turns/split-state.ts"

it("forgets sessions that nothing was heard of for long, and none that is being split or made", () => {
  const states = splitStates(10)
  states.of("ses_split").attempt = { stage: "preparing" }
  states.of("ses_made").isMaking = true
  states.nextTurn("ses_gone")
  const { turn } = states.of("ses_gone")
  for (let n = 0; n < 100; n++) states.nextTurn(`ses_${n}`)
  expect(states.size()).toBe(10)
  expect(states.find("ses_split")?.attempt).toBeDefined()
  expect(states.find("ses_made")?.isMaking).toBe(true)
  expect(states.find("ses_gone")).toBeUndefined()
  // One that is heard of again is not taken for what it was.
  states.nextTurn("ses_gone")
  expect(states.of("ses_gone").turn).not.toBe(turn)
  expect(states.find("ses_99")?.turn).toBeGreaterThan(0)
})
