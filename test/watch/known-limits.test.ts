import { expect, it } from "vitest"
import { analyzeCall } from "../../src/gate/call.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { isAgainstKnown } from "../../src/watch/known-limits.ts"
import { memoryHive } from "../support/hive.ts"
import { callTool } from "../tools/call-tool.ts"

/** Is a call against what is saved? */
async function against(known: { anchor: string } | { tried: string }, tool: string, args: object) {
  const hive = memoryHive()
  const saved =
    "anchor" in known
      ? await callTool(hive, "anchor", {
          action: "save",
          key: "A",
          value: known.anchor,
          priority: "critical",
        })
      : await callTool(hive, "memory", { action: "save", kind: "false_path", content: known.tried })
  expect(saved.status).toBe("success")
  const read = (command: string, cwd: string) => readCommand(command, { project: "/p", cwd, home: "/h" })
  const place = { projectDir: "/p", directory: "/p", read }
  const call = readCall({ id: "1", session: "ses_1", agent: "build", tool, args })
  return isAgainstKnown(hive.store.read().state, analyzeCall(call, place))
}

const edit = (filePath: string, newString: string) => ({ filePath, oldString: "x", newString })
const LEGACY = { anchor: "Never edit files under src/legacy: customers run it unchanged." }
const SCHEMA = { anchor: "db/schema.sql must not be changed before the release" }
const PNPM = { anchor: "Use pnpm, never npm install" }
const TOKENS = { tried: "Caching tokens in localStorage breaks server rendering" }
const PARALLEL = { tried: "Running the tests in parallel against one database fails" }

it.each([
  [LEGACY, "edit", edit("src/legacy/a.ts", "y")],
  [SCHEMA, "edit", edit("db/schema.sql", "y")],
  [PNPM, "bash", { command: "npm install lodash" }],
  [TOKENS, "edit", edit("src/token.ts", "localStorage.setItem('tokens', t) // caching")],
])("%j: %s %j is against it", async (known, tool, args) => {
  expect(await against(known, tool, args)).toBe(true)
})

it.each([
  [LEGACY, "edit", edit("src/new/a.ts", "y")],
  [LEGACY, "read", { filePath: "src/legacy/a.ts" }],
  [SCHEMA, "edit", edit("db/seed.sql", "y")],
  [PNPM, "bash", { command: "pnpm install lodash" }],
  [PNPM, "bash", { command: "npm test" }],
  [TOKENS, "edit", edit("src/token.ts", "memory.set('tokens', t)")],
  [PARALLEL, "bash", { command: "npm test", description: "Run the tests" }],
])("%j: %s %j is not", async (known, tool, args) => {
  expect(await against(known, tool, args)).toBe(false)
})
