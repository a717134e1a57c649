import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { expect, it } from "vitest"
import { hostTools } from "../../src/hosts/opencode/tools.ts"
import { tools } from "../../src/tools/index.ts"
import { errorReply } from "../../src/tools/tool.ts"
import { PROTOCOL } from "../../src/turns/turn-transcript.ts"
import { fixedCost } from "../../src/views/context/injected.ts"

function costInOpenCode() {
  const { definitions } = hostTools({ tools, runTool: async () => errorReply("not called") })
  const shown = tools.map((tool) => ({
    ...tool,
    description: definitions[tool.name]?.description ?? tool.description,
  }))
  return fixedCost(PROTOCOL, shown)
}

it("all tools and the protocol together cost at most 1,900 tokens per request", () => {
  const { tokens, system, tools: cost } = costInOpenCode()
  expect(tokens).toBeLessThanOrEqual(1900)
  const texts = [system.text, ...cost.each.map(({ text }) => text)]
  for (const encode of [cl100k, o200k]) {
    const real = texts.reduce((sum, text) => sum + encode(text).length, 0)
    // The count that people are shown is an estimate from above, and a close one.
    expect(real).toBeLessThanOrEqual(tokens)
    expect(real).toBeGreaterThan(tokens * 0.85)
  }
})

it.each(["session", "plan", "task", "delegate", "shell"])(
  "%s says why the agent should prefer it to its own tool",
  (name) => {
    const tool = tools.find((each) => each.name === `hivemind_${name}`)
    expect(tool?.description).toMatch(/unlike (a todo list|starting one|the plain shell|your own notes)/i)
  },
)
