import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { findOpencode } from "./bed/opencode-binary.ts"
import { call, calls, fail, pause, say } from "./bed/steps.ts"

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

  it("answers with the scripted text, then with 'done'", async () => {
    const session = await bed.newSession("text")
    bed.model.script(say("hello"))
    expect(await bed.prompt(session, "one")).toMatchObject({ text: "hello", toolCalls: [], error: undefined })
    expect(await bed.prompt(session, "two")).toMatchObject({ text: "done" })
    expect(bed.model.requests.map(({ kind, user }) => [kind, user])).toEqual([
      ["turn", "one"],
      ["turn", "two"],
    ])
  })

  it("runs scripted calls of the host's tools without asking for permission", async () => {
    const session = await bed.newSession("tools")
    const filePath = join(bed.project, "made.txt")
    bed.model.script(
      calls(
        call("write", { filePath, content: "made" }),
        call("read", { filePath: join(bed.project, "notes/a.txt") }),
      ),
      (request) => say(request.toolOutputs.length === 2 ? "both" : "not both"),
    )
    const turn = await bed.prompt(session, "go")
    expect(turn.toolCalls.map(({ tool, status }) => [tool, status])).toEqual([
      ["write", "completed"],
      ["read", "completed"],
    ])
    expect(turn.toolCalls[1]?.output).toContain("alpha")
    expect(turn.text).toBe("both")
    expect(readFileSync(filePath, "utf8")).toBe("made")
  })

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

  it("fires no after for a tool that fails by itself", async () => {
    const session = await bed.newSession("failed")
    bed.model.script(call("read", { filePath: join(bed.project, "missing.txt") }))
    const { toolCalls } = await bed.prompt(session, "go")
    expect(toolCalls).toMatchObject([{ tool: "read", status: "error" }])
    expect(hooks(session)).toContain("before")
    expect(hooks(session)).not.toContain("after")
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

  it("scripts two sessions apart that run at the same time", async () => {
    const [one, two] = await Promise.all([bed.newSession("one"), bed.newSession("two")])
    const held = pause()
    bed.model.script({ session: one.id }, say("first", { pause: held }))
    bed.model.script({ match: (request) => request.user === "second?" }, say("second"))
    const first = bed.prompt(one, "first?")
    await held.reached
    expect((await bed.prompt(two, "second?")).text).toBe("second")
    held.release()
    expect(await first).toMatchObject({ text: "first", requests: [{ session: one.id }] })
  })

  it("answers title requests beside the script; they carry no tools", async () => {
    const session = await bed.newSession()
    bed.model.script(say("hello"))
    expect((await bed.prompt(session, "go")).text).toBe("hello")
    await bed.waitForEvent(
      "session.updated",
      ({ properties }) => properties.info.title === "A scripted title",
    )
    const title = bed.model.requests.find(({ kind }) => kind === "title")
    expect(title).toMatchObject({ session: session.id, agent: "title", tools: [] })
  })

  it("compacts with a reply of its own", async () => {
    const session = await bed.newSession("compacted")
    await bed.prompt(session, "go")
    bed.model.hidden.compaction = say("what matters")
    await bed.summarize(session)
    await bed.waitForEvent("session.compacted")
    const summary = (await bed.messages(session)).find(
      ({ info }) => info.role === "assistant" && info.summary,
    )
    expect(summary?.parts).toContainEqual(expect.objectContaining({ type: "text", text: "what matters" }))
    expect(bed.model.requests.at(-1)).toMatchObject({ kind: "compaction", agent: "compaction", tools: [] })
  })

  it("compacts by itself when the reported tokens near the window, then goes on", async () => {
    const session = await bed.newSession("overflown")
    bed.model.script(say("full", { usage: { input: 195_000, output: 10 } }), say("went on"))
    const turn = await bed.prompt(session, "go")
    expect(turn.text).toBe("went on")
    expect(turn.requests.map(({ kind }) => kind)).toEqual(["turn", "compaction", "turn"])
  })

  it("ends a turn with the model's error, and goes on after one the host retries", async () => {
    const session = await bed.newSession("errors")
    bed.model.script(fail(400, "bad request by script"), fail(503), say("recovered"))
    expect((await bed.prompt(session, "go")).error).toMatchObject({ name: "APIError" })
    expect((await bed.prompt(session, "again")).text).toBe("recovered")
  })

  it("aborts a turn while the model holds its answer", async () => {
    const session = await bed.newSession("aborted")
    const held = pause()
    bed.model.script(say("half", { pause: held }))
    await bed.start(session, "go")
    await held.reached
    await bed.abort(session)
    const { properties } = await bed.waitForEvent("session.error")
    expect(properties).toMatchObject({ sessionID: session.id, error: { name: "MessageAbortedError" } })
    await bed.waitForEvent("session.idle", (event) => event.properties.sessionID === session.id)
  })

  it("reads the hive's files and the plugin's log", async () => {
    expect(await bed.readHive("system/log/a.log")).toBe("x")
    expect(await bed.pluginLog()).toBe("x")
  })

  it("prints nothing but the host's own lines", () => {
    expect(bed.printed()).toBe("")
  })
})

describe("a host that ends", () => {
  it("keeps its sessions over a restart, and works again after kill -9 in mid-turn", async () => {
    await using bed = await openBed({ plugin: PROBE, git: true })
    const session = await bed.newSession("kept")
    await bed.prompt(session, "before")
    await bed.restart()
    const { requests } = await bed.prompt(session, "after")
    expect(requests[0]?.body.messages.map(({ role }) => role).join()).toBe("system,user,assistant,user")

    const held = pause()
    bed.model.script(say("never finished", { pause: held }), say("alive"))
    await bed.start(session, "killed")
    await held.reached
    await bed.kill()
    await bed.restart()
    expect((await bed.prompt(session, "still there?")).text).toBe("alive")
  })

  it("does not call a plugin's dispose when it is stopped, only when the project is unloaded", async () => {
    await using bed = await openBed({ plugin: PROBE, pluginOptions: { print: true } })
    const notes = () => readFileSync(join(bed.project, "probe.jsonl"), "utf8")
    await bed.prompt(await bed.newSession("disposed"), "go")
    await bed.restart()
    expect(notes()).not.toContain("dispose")
    await bed.client.instance.dispose()
    await expect.poll(notes).toContain("dispose")
    expect(bed.printed()).toBe("printed by the probe\nprinted by the probe")
  })

  it("leaves no folder behind when it cannot start", async () => {
    const temp = tempFolder()
    vi.stubEnv("TMPDIR", temp)
    const failing = expect(
      openBed({ ownHost: true, plugin: PROBE, files: { "opencode.json": "{" } }),
    ).rejects.toThrow()
    await expect.poll(() => readdirSync(temp)).toHaveLength(1)
    await failing
    expect(readdirSync(temp)).toEqual([])
  })

  it("is found in the platform package where the install script was blocked", () => {
    const repository = tempFolder()
    const put = (path: string, bytes: number) => {
      mkdirSync(join(repository, "node_modules", path), { recursive: true })
      writeFileSync(join(repository, "node_modules", path, "opencode"), Buffer.alloc(bytes))
    }
    put(".bin", 479)
    expect(() => findOpencode(repository)).toThrow("not installed")
    const platform = `opencode-${process.platform}-${process.arch}`
    put(`${platform}/bin`, 2_000_000)
    expect(findOpencode(repository)).toBe(join(repository, "node_modules", platform, "bin", "opencode"))
  })
})

function tempFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "hivemind-temp-"))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(path, { recursive: true, force: true })
  })
  return path
}
