import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { callText, hostToolAuthor, toolActions, toolName, toolOfAuthor } from "../../src/shared/tool-names.ts"
import { tools } from "../../src/tools/index.ts"

const src = fileURLToPath(new URL("../../src", import.meta.url))

it("lists every tool with exactly its actions", () => {
  const defined = tools.map(({ name, args }) => [name, args["action"]?.toJSONSchema().enum ?? []])
  const listed = Object.entries(toolActions).map(([tool, actions]) => [`hivemind_${tool}`, [...actions]])
  expect(Object.fromEntries(defined)).toEqual(Object.fromEntries(listed))
})

it("every call that a text names is one a model can make", () => {
  const calls = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(join(src, file), "utf8").matchAll(/callText\("(\w+)", "(\w+)"\)/g)])
    .map(([, tool = "", action = ""]) => ({ tool: `hivemind_${tool}`, action }))
  expect(calls.length).toBeGreaterThan(10)
  for (const { tool, action } of calls) {
    const actions = tools.find(({ name }) => name === tool)?.args["action"]?.toJSONSchema().enum ?? []
    expect(actions, `${tool} ${action}`).toContain(action)
  }
})

it("names a tool and a call as the model calls them", () => {
  expect([toolName("plan"), callText("plan", "status")]).toEqual(["hivemind_plan", "hivemind_plan status"])
})

it("reads the tool from an entry's author, ours or the host's; other authors have none", () => {
  const authors = ["hivemind_task.start", hostToolAuthor("my tool"), "compaction", "tooling"]
  expect(authors.map(toolOfAuthor)).toEqual(["hivemind_task.start", "my tool", undefined, undefined])
  expect(hostToolAuthor("x".repeat(200))).toHaveLength(100)
})
