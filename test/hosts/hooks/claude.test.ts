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

it("refuses what no snapshot can bring back, and shows with the step what a call deleted of the user's", async () => {
  const { dir, send, shown, call } = await claudeIn()
  writeFileSync(join(dir, "mine.txt"), "the user's own")
  await send("UserPromptSubmit", { prompt: "Tidy up." })
  expect(await call("Bash", { command: "git push --force" })).toMatch(/^WHAT: Bash was not run/)
  expect(await call("Bash", { command: "./tidy.sh" }, () => rmSync(join(dir, "mine.txt")))).toBe("")
  expect(await shown("PostToolBatch")).toMatch(/deleted mine\.txt.*hivemind restore S1/)
  expect(await shown("PostToolBatch")).toBe("")
})

it("leaves a project without a hive alone", async () => {
  const { send, dir } = await claudeIn()
  rmSync(join(dir, ".hivemind"), { recursive: true })
  expect(await send("UserPromptSubmit", { prompt: "From now on use pnpm." })).toBe("")
})
