import { describe, expect, it } from "vitest"
import { addToResult, readResult } from "../../../src/hosts/opencode/results.ts"
import { errorReply, type ToolReply } from "../../../src/tools/tool.ts"
import { callEnder } from "../../support/ended-calls.ts"
import { memoryHive } from "../../support/hive.ts"
import { rowsOf } from "./event-reader.ts"

interface EndedCall {
  tool: string
  args?: object
  output?: string
  exit?: number | null
  reply?: ToolReply
}

async function afterCalls(...ended: EndedCall[]) {
  const hive = memoryHive()
  const end = callEnder(hive)
  const outputs: string[] = []
  for (const [n, { tool, args = {}, output: text = "ok", exit, reply }] of ended.entries()) {
    const base = { id: `call_${n}`, tool, session: "ses_1", agent: "build" }
    const written = reply === undefined ? text : JSON.stringify(reply)
    const output = { output: written, metadata: exit === undefined ? {} : { exit } }
    const result = { ...base, output, reply }
    addToResult(result, await end({ ...base, args }, readResult(result)))
    outputs.push(output.output)
  }
  const counts = hive.store.read().state.metrics.get("ses_1")?.counts ?? {}
  return { outputs, counts, rows: rowsOf(hive, "ses_1") }
}

const bash = (command: string, tool = "bash") => ({ tool, args: { command } })
const SILENT_REPLY: ToolReply = { status: "success", exit: 1, output: "" }
const ERROR_REPLY = errorReply("no")

it.each([
  ["a shell command that exits with something else than 0", { tool: "bash", exit: 2 }, 1],
  ["one that ran into its time limit", { tool: "bash", exit: null }, 1],
  ["one that the user stopped", { tool: "bash", exit: null, output: "…\nUser aborted the command" }, 0],
  ["one that exits with 0", { tool: "hivemind_shell", exit: 0 }, 0],
  ["a search that finds nothing", { ...bash("grep -rn foo src"), output: "(no output)", exit: 1 }, 0],
  ["our own shell's", { ...bash("test -f a", "hivemind_shell"), reply: SILENT_REPLY, exit: 1 }, 0],
  ["a read that complains", { ...bash("cat a"), output: "cat: a: No such file", exit: 1 }, 1],
  ["a silent run that fails", { ...bash("npm test"), output: "(no output)", exit: 1 }, 1],
  ["a tool that does not exist", { tool: "invalid" }, 1],
  ["an error record of ours", { tool: "hivemind_task", reply: ERROR_REPLY }, 1],
  ["a file that looks like one", { tool: "read", output: '{"status":"error"}' }, 0],
  ["a read", { tool: "read" }, 0],
])("the outcome of a call: %s", async (_, call, failures) => {
  expect((await afterCalls(call)).rows.failed_steps).toBe(failures)
})

it.each([
  [{ tool: "read" }, "calls read"],
  [{ tool: "bash", args: { command: "cat a.txt" }, exit: 0 }, "calls read"],
  [{ tool: "bash", args: { command: "npm test" }, exit: 0 }, "calls run"],
  [{ tool: "bash", args: { command: "echo x > a.txt" }, exit: 0 }, "calls write"],
  [{ tool: "edit", args: { filePath: "/p/a.ts" } }, "calls write"],
  [{ tool: "grep" }, "calls query"],
  [{ tool: "hivemind_plan" }, "calls governance"],
  [{ tool: "some_server_tool" }, "calls other"],
])("the purpose of a call: %j", async (call, counter) => {
  expect((await afterCalls(call)).counts).toMatchObject({ [counter]: 1 })
})

describe("warnings during a turn", () => {
  const loop = (call: object) => Array.from({ length: 9 }, () => ({ tool: "read", ...call }))

  it("is added once, after the output of the call that caused it", async () => {
    const { outputs } = await afterCalls(...loop({ args: { filePath: "/p/a" } }))
    expect(outputs.map((text) => text.includes("<warning"))).toEqual(
      Array.from({ length: 9 }, (_, n) => n === 4),
    )
    expect(outputs[4]).toMatch(/^ok\n\n<warning id="same_calls" severity="high">The same call/)
  })

  it("is a field in the reply of HiveMind's own tools", async () => {
    const { outputs } = await afterCalls(...loop({ tool: "hivemind_plan", reply: { status: "success" } }))
    expect(JSON.parse(outputs[4] ?? "")).toEqual({
      status: "success",
      drift_warnings: { same_calls: expect.stringContaining("The same call") },
    })
  })
})
