import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { claudeIn } from "./hook-events.ts"

it("shows the state with the first prompt, what changed with the next, and all of it after a compaction", async () => {
  const { shown, call } = await claudeIn()
  const first = await shown("UserPromptSubmit", { prompt: "From now on use pnpm." })
  expect(first).toMatch(/^<hivemind>[\s\S]*<hivemind_state>[\s\S]*pnpm/)
  expect(await shown("UserPromptSubmit", { prompt: "Thanks." })).not.toContain("<hivemind_state>")
  await call("Bash", { command: "ls" })
  const again = await shown("SessionStart", { source: "compact" })
  expect(again).toMatch(/^<hivemind>[\s\S]*<hivemind_state>[\s\S]*pnpm/)
})

it("refuses calls that no snapshot can undo, and reports which of the user's files a call has deleted", async () => {
  const { dir, send, shown, call } = await claudeIn()
  writeFileSync(join(dir, "mine.txt"), "the user's own")
  await send("UserPromptSubmit", { prompt: "Tidy up." })
  expect(await call("Bash", { command: "git push --force" })).toMatch(/^WHAT: Bash was not run/)
  expect(await call("Bash", { command: "./tidy.sh" }, () => rmSync(join(dir, "mine.txt")))).toBe("")
  expect(await shown("PostToolBatch")).toMatch(/deleted mine\.txt.*hivemind restore S1/)
  expect(await shown("PostToolBatch")).toBe("")
})

it("does nothing in a project without a hive", async () => {
  const { send, dir } = await claudeIn()
  rmSync(join(dir, ".hivemind"), { recursive: true })
  expect(await send("UserPromptSubmit", { prompt: "From now on use pnpm." })).toBe("")
})

it("stops the end of a turn for open work at most twice, and only once for the same item", async () => {
  const { send, call, run } = await claudeIn({ "package.json": '{"scripts":{"test":"exit 1"}}\n' })
  const stop = async () => (await send("Stop", { last_assistant_message: "Done." })) || "{}"
  await send("UserPromptSubmit", { prompt: "Build it." })
  const plan = await run("plan", { action: "create", title: "P", acceptance: [] })
  const tasks = [{ title: "Build it", expected_output: "x", verify: "npm test" }]
  const planned = await run("plan", { action: "plan_tasks", plan_id: plan["entity_id"], tasks })
  await run("task", { action: "start", task_id: (planned["tasks"] as { entity_id: string }[])[0]?.entity_id })
  await call("Bash", { command: "ls" })
  expect(JSON.parse(await stop())).toMatchObject({
    decision: "block",
    reason: expect.stringContaining("no evidence yet for: Build it"),
  })
  expect(await stop()).toBe("{}")
  await send("UserPromptSubmit", { prompt: "What is in it?" })
  await call("Read", { file_path: "package.json" })
  expect(await stop()).toBe("{}")
})

it("keeps a block within the 10,000 characters that reach the model", async () => {
  const { shown, run } = await claudeIn()
  for (let n = 0; n < 60; n++)
    await run("memory", {
      action: "save",
      kind: "decision",
      content: `Decision ${n}: ${"äöü words ".repeat(40)}`,
    })
  const text = await shown("UserPromptSubmit", { prompt: "Which decisions are there?" })
  expect(text).toMatch(/<hivemind_state>[\s\S]*Decision 59[\s\S]*<\/hivemind_state>/)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000)
  expect(Buffer.byteLength(text)).toBeGreaterThan(5000)
})

it("reads the prompt that was typed meanwhile from the transcript", async () => {
  const { dir, send, shown, state } = await claudeIn()
  const transcript_path = join(dir, ".hivemind", "transcript.jsonl")
  writeFileSync(transcript_path, "")
  await send("UserPromptSubmit", { prompt: "Begin.", transcript_path })
  const queued = { type: "queued_command", commandMode: "prompt", prompt: [{ type: "text", text: RULE }] }
  writeFileSync(transcript_path, `${JSON.stringify({ type: "attachment", attachment: queued })}\n{"half`)
  expect(await shown("PostToolBatch", { transcript_path, tool_calls: [] })).toMatch(
    /hivemind_delta[\s\S]*pnpm/,
  )
  expect(await shown("PostToolBatch", { transcript_path, tool_calls: [] })).toBe("")
  expect([...state().mem.values()].map(({ content }) => content)).toEqual([RULE])
})

const RULE = "From now on use pnpm, not npm."

it("lets the agent continue if an answer takes too long, and shows the whole state with the next one", async () => {
  const { limit, send, shown } = await claudeIn()
  await send("UserPromptSubmit", { prompt: RULE })
  expect(await shown("UserPromptSubmit", { prompt: "Thanks." })).not.toContain("<hivemind_state>\n")
  Object.assign(limit, { ms: 0 })
  expect(await send("UserPromptSubmit", { prompt: "Go on." })).toBe("")
  Object.assign(limit, { ms: 60_000 })
  expect(await shown("UserPromptSubmit", { prompt: "Go on." })).toMatch(/<hivemind_state>\n[\s\S]*pnpm/)
})
