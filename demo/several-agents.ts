import type { Bed } from "../test/live/bed/bed.ts"
import { say } from "../test/live/bed/steps.ts"
import { connectMcp } from "../test/support/mcp-client.ts"
import { expectThat, type Narrator } from "./narrator.ts"

/** Another agent works on the same repository: what it decides, OpenCode knows. */
export async function severalAgents(bed: Bed, narrator: Narrator): Promise<void> {
  narrator.scene("Another agent, the same memory")
  const session = await bed.newSession("demo")
  narrator.step("An agent that speaks MCP connects to `hivemind mcp` and saves a decision.")
  const { client, call } = await connectMcp({ name: "another-agent", cwd: bed.project })
  try {
    const content = "Invoices are numbered per year, because the tax office wants no gaps"
    await call("memory", { action: "save", content, kind: "decision" })
  } finally {
    await client.close()
  }
  bed.model.script(say("Because the tax office wants no gaps."))
  narrator.step('In OpenCode the user asks: "Why are invoices numbered per year?"')
  await bed.prompt(session, "Why are invoices numbered per year?")
  const asked = JSON.stringify(bed.model.requests.filter(({ kind }) => kind === "turn").at(-1)?.body)
  expectThat("the decision stands before the model", asked.includes("wants no gaps"))
  narrator.step("The model was sent the decision with the question, without a tool call.")
}
