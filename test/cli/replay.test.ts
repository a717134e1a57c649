import { beforeEach, describe, expect, test } from "vitest"
import type { SeenMessage } from "../../src/context/inject/seen-message.ts"
import { tools } from "../../src/tools/index.ts"
import { PROTOCOL } from "../../src/turns/turn-transcript.ts"
import { connectedAt } from "../support/connected.ts"
import { by } from "../support/records.ts"
import { anyCommand } from "../tools/call-tool.ts"
import { fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  await fillProject(box.project)
})

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli(box, args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout
}
const json = async (...args: string[]) => JSON.parse(await run(...args, "--json"))

/** HiveMind at work in the session; `turn` is a message that comes, and gives what it carries. */
function atWork() {
  const host = connectedAt(box.project)
  const messages: SeenMessage[] = []
  return {
    ...host,
    async turn(text: string): Promise<readonly string[]> {
      const id = `msg_${messages.length + 1}`
      messages.push({ id, role: "user", text, isCompactionRequest: false, charsWithout: () => text.length })
      await host.hivemind.onUserMessage({ session: SESSION, agent: "build", text })
      return (await host.hivemind.inject(SESSION, messages, undefined)).parts.get(id) ?? []
    },
    async use(name: string, args: object): Promise<void> {
      const tool = tools.find((each) => each.name === `hivemind_${name}`)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      await host.hivemind.runTool(tool, { session: SESSION, agent: "build", running: anyCommand }, args)
    },
  }
}

describe("context", () => {
  test("shows the words themselves and what every request costs besides", async () => {
    const work = atWork()
    const words = await work.turn("Go on with the login")
    const stdout = await run("context")
    for (const line of words.join("\n").split("\n")) expect(stdout).toContain(line)
    const { fixed, items, total, more } = await json("context")
    expect({ total, more, parts: items[0].parts }).toEqual({ total: 1, more: 0, parts: words })
    expect(fixed.system).toEqual({ text: PROTOCOL, tokens: expect.any(Number) })
    expect(fixed.tools.each).toHaveLength(tools.length)
    expect(fixed.tokens).toBe(fixed.system.tokens + fixed.tools.tokens)
    expect(stdout).toContain(`every request besides: ${fixed.tokens} tokens`)
  })
})

describe("replay", () => {
  test("has the block, replies, notes and refusals of that turn, and nothing of another", async () => {
    const work = atWork()
    const first = await work.turn("Go on with the login")
    await work.use("memory", { action: "save", content: "The first turn's mem" })
    const second = await work.turn("Now the tests")
    await work.use("memory", { action: "save", content: "The second turn's mem" })
    const { refusal = "" } = await work.call({
      tool: "write",
      args: { filePath: `${box.project}/.hivemind/system/config.json`, content: "{}" },
      session: SESSION,
    })
    expect(refusal).toContain("WHAT:")
    const third = await work.turn("Thanks")
    await expect.poll(async () => (await json("context", "replay", "2")).told.length).toBe(2)
    const replay = await json("context", "replay", "2")
    expect(replay).toMatchObject({
      turn: { turn: 2, parts: second },
      turns: 3,
      in_sight: [{ turn: 1, parts: first }],
      told: [
        { kind: "reply", tool: "hivemind_memory", text: expect.stringContaining("entity_id") },
        { kind: "refusal", tool: "write", text: refusal },
      ],
    })
    const stdout = await run("context", "replay", "2")
    for (const words of [PROTOCOL, ...first, ...second, refusal])
      for (const line of words.split("\n")) expect(stdout).toContain(line)
    expect(third).toHaveLength(1)
    for (const words of third) expect(stdout).not.toContain(words)
    expect(await run("context", "replay", "msg_2")).toBe(stdout)
  })

  test("after a compaction, what came before it is out of sight", async () => {
    const work = atWork()
    await work.turn("Go on with the login")
    await withStore(box.project, (store) => store.append(by, (tx) => tx.recordCompaction(SESSION)))
    await work.turn("And now?")
    expect(await json("context", "replay", "2")).toMatchObject({ in_sight: [], out_of_sight: 1 })
    expect(await run("context", "replay", "2")).toContain("1 earlier message a compaction had taken away")
  })

  test("a turn that there is not is refused with those that there are", async () => {
    expect(await cli(box, ["context", "replay", "1"])).toMatchObject({ code: 1 })
    await atWork().turn("Hi")
    const { code, stderr } = await cli(box, ["context", "replay", "9"])
    expect(code).toBe(1)
    expect(stderr).toContain("It has turns 1 to 1.")
  })
})

describe("sessions --bisect", () => {
  test("names the turn where drift began, by which pattern, and what happened there", async () => {
    const work = atWork()
    await work.turn("Go on with the login")
    await work.call({ tool: "bash", args: { command: "ls" }, session: SESSION })
    await work.turn("Now the tests")
    await work.use("memory", { action: "save", content: "Saved in the turn that went wrong" })
    for (let n = 0; n < 6; n++)
      await work.call({ tool: "bash", args: { command: "cat same.txt" }, session: SESSION })
    await work.turn("Hm")
    const { began, points } = await json("sessions", SESSION, "--bisect")
    expect(points.map(({ score }: { score: number }) => score > 0)).toEqual([false, false, true, true])
    expect(began).toMatchObject({ turn: 2, signals: ["same_calls"], isOver: false })
    const stdout = await run("sessions", SESSION, "--bisect")
    expect(stdout).toMatch(/began +in turn 2, /)
    expect(stdout).toContain("by same_calls")
    expect(stdout).toContain("Saved in the turn that went wrong")
    expect(stdout).toContain(`hivemind context replay 2 --session ${SESSION}`)
  })

  test("says so where the session is on its course; belongs to drift alone", async () => {
    await atWork().turn("Hi")
    expect(await run("sessions", "--bisect")).toContain("none: the session is on its course")
  })
})
