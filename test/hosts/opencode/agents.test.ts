import { expect, it } from "vitest"
import { addAgentsAndCommands } from "../../../src/hosts/opencode/agents.ts"
import { addAgents2 } from "../../../src/hosts/opencode2/agents.ts"
import type { AgentDraft } from "../../../src/hosts/opencode2/context.ts"

type HostConfig = Parameters<typeof addAgentsAndCommands>[0]

it("adds the roles, each without the tools it may not use, and the commands", () => {
  const config: HostConfig = {}
  addAgentsAndCommands(config)
  expect(Object.keys(config.agent ?? {})).toEqual(["hive-coordinator", "hive-investigator", "hive-executor"])
  expect(config.agent?.["hive-coordinator"]).toMatchObject({
    permission: { edit: "deny", bash: "deny", hivemind_shell: "deny" },
  })
  expect(config.agent?.["hive-executor"]).toMatchObject({
    permission: { hivemind_plan: "deny", hivemind_delegate: "deny", hivemind_scan: "deny", task: "deny" },
  })
  expect(config.agent?.["hive-executor"]).not.toHaveProperty("permission.edit")
  expect(config.agent?.["hive-investigator"]).toMatchObject({
    permission: { hivemind_plan: "deny", hivemind_delegate: "deny", hivemind_shell: "deny", task: "deny" },
  })
  expect(Object.keys(config.command ?? {})).toEqual([
    "hive",
    "hive-plan",
    "hive-onboard",
    "hive-split",
    "hive-dashboard",
    "hive-forget",
    "hive-export",
  ])
  expect(config.command?.["hive-onboard"]).toMatchObject({ agent: "hive-coordinator" })
})

it("only the coordinator is among the agents that people switch through, in both versions of OpenCode", () => {
  const config: HostConfig = {}
  addAgentsAndCommands(config)
  const modes2: Record<string, string | undefined> = {}
  addAgents2({
    update(name, change) {
      const draft: AgentDraft = {}
      change(draft)
      modes2[name] = draft.mode
    },
  })
  const modes = Object.entries(config.agent ?? {}).map(([name, agent]) => [name, agent?.mode])
  expect(Object.fromEntries(modes)).toEqual(modes2)
  expect(modes2).toEqual({
    "hive-coordinator": "all",
    "hive-investigator": "subagent",
    "hive-executor": "subagent",
  })
})

it("never overwrites an agent, a permission or a command of the user's", () => {
  const mine = { description: "mine", permission: { bash: "allow" } }
  const config = {
    agent: { "hive-executor": mine, build: { prompt: "p" } },
    command: { hive: { template: "my own" } },
    permission: { edit: "ask" },
  } as unknown as HostConfig
  const before = structuredClone(config)
  addAgentsAndCommands(config)
  expect(config.agent?.["hive-executor"]).toEqual(before.agent?.["hive-executor"])
  expect(config.agent?.["build"]).toEqual(before.agent?.["build"])
  expect(config.command?.["hive"]).toEqual(before.command?.["hive"])
  expect(config.permission).toEqual(before.permission)
})
