import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { agentSteps, WALKED_AGENTS } from "../../demo/first-steps/agent-steps.ts"
import { comparable } from "../../demo/first-steps/transcript.ts"
import { REPOSITORY } from "../live/bed/scratch.ts"

it.each(WALKED_AGENTS)(
  "docs/first-steps-%s.md is what a new user of the agent sees",
  async (agent) => {
    const page = readFileSync(join(REPOSITORY, "docs", `first-steps-${agent}.md`), "utf8")
    expect(comparable(await agentSteps(agent))).toBe(comparable(page))
  },
  300_000,
)
