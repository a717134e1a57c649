import { expect, it } from "vitest"
import { addAgents2 } from "../../../src/hosts/opencode2/agents.ts"

type Draft = Parameters<Parameters<Parameters<typeof addAgents2>[0]["update"]>[1]>[0]

it("OpenCode 2 gets the same roles: only the coordinator is among those that people page through", () => {
  const drafts = new Map<string, Draft>()
  addAgents2({
    update(name, change) {
      const draft = {} as Draft
      change(draft)
      drafts.set(name, draft)
    },
  })
  expect([...drafts].map(([name, { mode }]) => [name, mode])).toEqual([
    ["hive-coordinator", "all"],
    ["hive-investigator", "subagent"],
    ["hive-executor", "subagent"],
  ])
})
