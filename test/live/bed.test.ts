import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, say } from "./bed/steps.ts"

const PROBE = fileURLToPath(new URL("./probe", import.meta.url))

describe("a bed with the probe plugin", () => {
  let bed: Bed
  beforeAll(async () => {
    bed = await openBed({
      plugin: PROBE,
      files: { "notes/a.txt": "alpha\n", ".hivemind/system/log/a.log": "x" },
    })
  })
  beforeEach(() => bed.model.reset())
  afterAll(() => bed?.close())

  const noted = (session: { id: string }) =>
    readFileSync(join(bed.project, "probe.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line): { hook: string; session: string; detail: string } => JSON.parse(line))
      .filter((note) => note.session === session.id)
  const hooks = (session: { id: string }) => noted(session).map((note) => note.hook)

  it("hands a plugin tool's arguments over unvalidated and without defaults", async () => {
    const session = await bed.newSession("unvalidated")
    bed.model.script(call("probe_echo", { c: 1 }))
    const { toolCalls } = await bed.prompt(session, "go")
    expect(toolCalls).toMatchObject([{ tool: "probe_echo", status: "completed", output: '{"c":1}' }])
  })

  it("fires the hooks in order, both transforms on every step", async () => {
    const session = await bed.newSession("order")
    bed.model.script(call("probe_echo", { a: "x" }))
    await bed.prompt(session, "go")
    const step = ["messages.transform", "system.transform", "chat.params"]
    expect(hooks(session)).toEqual(["chat.message", ...step, "before", "after", ...step])
  })

  it("turns a throw in tool.execute.before into the tool's error, with no after", async () => {
    const session = await bed.newSession("refused")
    const filePath = join(bed.project, "refused.txt")
    bed.model.script(call("write", { filePath, content: "FORBIDDEN" }))
    const turn = await bed.prompt(session, "go")
    expect(turn.toolCalls).toMatchObject([{ tool: "write", status: "error", error: "refused by the probe" }])
    expect(turn.requests[1]?.toolOutputs).toEqual(["refused by the probe"])
    expect(hooks(session)).not.toContain("after")
    expect(existsSync(filePath)).toBe(false)
  })

  it("scripts a subagent apart, and the hooks fire in its child session", async () => {
    const session = await bed.newSession("parent")
    const task = { description: "sub", prompt: "look", subagent_type: "general" }
    bed.model.script(call("task", task), say("parent ends"))
    bed.model.script({ agent: "general" }, call("probe_echo", { a: "child" }), say("child ends"))
    const turn = await bed.prompt(session, "go")
    const child = { id: String(turn.toolCalls[0]?.metadata["sessionId"]) }
    expect(turn.text).toBe("parent ends")
    expect(turn.toolCalls[0]?.output).toContain("child ends")
    expect(turn.requests.map(({ kind, agent }) => [kind, agent])).toEqual([
      ["turn", "build"],
      ["subagent", "general"],
      ["subagent", "general"],
      ["turn", "build"],
    ])
    expect(turn.requests[1]).toMatchObject({ session: child.id, parent: session.id })
    expect(noted(child)).toContainEqual({ hook: "before", session: child.id, detail: "probe_echo" })
    expect(bed.model.left()).toBe(0)
  })
})
