import { expect, test } from "vitest"
import type { SeenMessage } from "../../src/context/inject/seen-message.ts"
import { tools } from "../../src/tools/index.ts"
import { PROTOCOL } from "../../src/turns/turn-transcript.ts"
import { connectedAt } from "../support/connected.ts"
import { by } from "../support/records.ts"
import { anyCommand } from "../tools/call-tool.ts"
import { SESSION, useFilledProject, withStore } from "./filled-project.ts"
import { cli, cliJson, shown } from "./harness.ts"

const box = useFilledProject()
const run = (args: string) => shown(box, args)
const json = (args: string) => cliJson(box, args)

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
    async save(content: string): Promise<void> {
      const memory = tools.find(({ name }) => name === "hivemind_memory")
      if (memory === undefined) throw new Error("there is no tool for memory")
      const caller = { session: SESSION, agent: "build", running: anyCommand }
      await host.hivemind.runTool(memory, caller, { action: "save", content })
    },
  }
}

test("context shows the text that was sent, and the fixed cost of every request", async () => {
  const words = await atWork().turn("Go on with the login")
  const stdout = await run("context")
  for (const line of words.join("\n").split("\n")) expect(stdout).toContain(line)
  const { fixed, items, total, more } = await json("context")
  expect({ total, more, parts: items[0].parts }).toEqual({ total: 1, more: 0, parts: words })
  expect(fixed.system).toEqual({ text: PROTOCOL, tokens: expect.any(Number) })
  expect(fixed.tools.each).toHaveLength(tools.length)
  expect(fixed.tokens).toBe(fixed.system.tokens + fixed.tools.tokens)
  expect(stdout).toContain(`Each request also has ${fixed.tokens} tokens of HiveMind`)
})

test("replay shows the block, replies, notes and refusals of that turn only", async () => {
  const work = atWork()
  const first = await work.turn("Go on with the login")
  await work.save("The first turn's mem")
  const second = await work.turn("Now the tests")
  await work.save("The second turn's mem")
  const args = { filePath: `${box.project}/.hivemind/system/config.json`, content: "{}" }
  const { refusal = "" } = await work.call({ tool: "write", args, session: SESSION })
  expect(refusal).toContain("WHAT:")
  const third = await work.turn("Thanks")
  await expect.poll(async () => (await json("context replay 2")).told.length).toBe(2)
  expect(await json("context replay 2")).toMatchObject({
    turn: { turn: 2, parts: second },
    turns: 3,
    in_sight: [{ turn: 1, parts: first }],
    told: [
      { kind: "reply", tool: "hivemind_memory", text: expect.stringContaining("entity_id") },
      { kind: "refusal", tool: "write", text: refusal },
    ],
  })
  const stdout = await run("context replay 2")
  for (const words of [PROTOCOL, ...first, ...second, refusal])
    for (const line of words.split("\n")) expect(stdout).toContain(line)
  expect(third).toHaveLength(1)
  for (const words of third) expect(stdout).not.toContain(words)
  expect(await run("context replay msg_2")).toBe(stdout)
})

test("after a compaction, earlier messages count as removed", async () => {
  const work = atWork()
  await work.turn("Go on with the login")
  await withStore(box.project, (store) => store.append(by, (tx) => tx.recordCompaction(SESSION)))
  await work.turn("And now?")
  expect(await json("context replay 2")).toMatchObject({ in_sight: [], out_of_sight: 1 })
  expect(await run("context replay 2")).toContain("1 earlier message removed by a compaction")
})

test("an unknown turn is refused with the range of existing turns", async () => {
  expect(await cli(box, "context replay 1")).toMatchObject({ code: 1 })
  await atWork().turn("Hi")
  const { code, stderr } = await cli(box, "context replay 9")
  expect([code, stderr]).toEqual([1, expect.stringContaining("It has turns 1 to 1.")])
})

test("sessions --bisect names the turn where drift began, by which pattern, and what happened there", async () => {
  const work = atWork()
  const bash = (command: string) => work.call({ tool: "bash", args: { command }, session: SESSION })
  await work.turn("Go on with the login")
  await bash("ls")
  await work.turn("Now the tests")
  expect(await run("sessions --bisect")).toContain("none: the session has not drifted")
  await work.save("Saved in the turn that went wrong")
  for (let n = 0; n < 6; n++) await bash("cat same.txt")
  await work.turn("Hm")
  const { began, points } = await json(`sessions ${SESSION} --bisect`)
  expect(points.map(({ score }: { score: number }) => score > 0)).toEqual([false, false, true, true])
  expect(began).toMatchObject({ turn: 2, signals: ["same_calls"], isOver: false })
  const stdout = await run(`sessions ${SESSION} --bisect`)
  expect(stdout).toMatch(/began +in turn 2, /)
  expect(stdout).toContain("because of same_calls")
  expect(stdout).toContain("Saved in the turn that went wrong")
  expect(stdout).toContain(`hivemind context replay 2 --session ${SESSION}`)
})
