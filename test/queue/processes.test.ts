import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { queueContents } from "../../src/queue/queue.ts"
import type { QueuedCommand, WaitingCommand } from "../../src/schemas/queued-command.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { CHANGING, FILLING } from "../store/faults/lab.ts"
import { trials } from "../support/effort.ts"
import { fileHive } from "../support/file-hive.ts"
import { lineProcess } from "../support/line-process.ts"
import { aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"

// Real processes on the built code (npm test builds first).
const script = fileURLToPath(new URL("../support/queue-drainer.mjs", import.meta.url))
const injector = new URL("../store/faults/inject.mjs", import.meta.url).href

const COMMANDS = trials(100, 1000)

it("two processes apply many commands at the same time, each exactly once", async () => {
  const { hive, expectOnce } = await withCommands(COMMANDS)
  const processes = [1, 2].map(() => lineProcess(script, hive.home))
  for (const each of processes) await each.next()
  for (let round = 0; round < COMMANDS / 100; round++) {
    for (const each of processes) each.go("50")
    for (const each of processes) expect(JSON.parse(await each.next())).toEqual({ applied: 50, refused: 0 })
  }
  await expectOnce()
})

it("many commands, and process after process killed at another moment of a write: each exactly once", async () => {
  const { hive, expectOnce } = await withCommands(COMMANDS)
  for (const at of [6, 9, 11, 13, 102]) {
    const { signal } = await drainer(hive, { do: "kill", at, only: CHANGING })
    expect(signal).toBe("SIGKILL")
  }
  // One is killed while another one goes on.
  await Promise.all([drainer(hive, { do: "kill", at: COMMANDS / 2, only: CHANGING }), drainer(hive)])
  await drainer(hive)
  await expectOnce()
})

it.each([
  ["ENOSPC", "disk_full", "The disk is full"],
  ["EROFS", "not_writable", "mounted read-only"],
])(
  "with %s the commands keep waiting, the answer says why, and later they are applied once",
  async (code, error, why) => {
    const { hive, expectOnce } = await withCommands(6)
    const full = { do: "fail", code, only: FILLING, stays: true }
    const failed = await drainer(hive, { ...full, at: 1 })
    expect(failed).toMatchObject({ error, why: expect.stringContaining(why) })
    expect(queueContents(hive).waiting.size).toBe(6)
    // In the middle of a write: whether that counts, the next one finds out.
    expect(await drainer(hive, { ...full, at: 14 })).toMatchObject({ error: expect.any(String) })
    expect(queueContents(hive).waiting.size).toBeGreaterThan(0)
    await drainer(hive)
    await expectOnce()
  },
)

/** Half of them save a mem, half change a task. */
async function withCommands(count: number) {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
  })
  const commands = Array.from({ length: count }, (_, n): WaitingCommand => {
    const command: QueuedCommand =
      n % 2 === 0
        ? { do: "save_mem", content: `Mem ${n}` }
        : { do: "edit_task", task: uuid(3), title: `Title ${n}` }
    return { id: uuid(n + 100_000), at: new Date().toISOString(), from: "test", command }
  })
  const lines = commands.map((command) => `\n${JSON.stringify(command)}\n`)
  appendFileSync(hivePaths(hive.home).queue, lines.join(""))

  /** One entry each, in the order they came; all noted; nothing saved twice. */
  async function expectOnce(): Promise<void> {
    const { waiting, finished } = queueContents(hive)
    expect(waiting.size).toBe(0)
    for (const { outcome } of finished.values()) expect(outcome).toMatchObject({ ok: true })
    await hive.store.ready()
    const tools = (await hive.store.log())
      .map((entry) => entry.by.tool)
      .filter((tool) => tool.startsWith("queue "))
    expect(tools).toEqual(commands.map(({ id }) => `queue ${id}`))
    const { state } = hive.store.read()
    expect(Array.from(state.mem.values(), ({ content }) => content)).toHaveLength(count / 2)
    expect(state.task.get(uuid(3))?.title).toBe(`Title ${count - 1}`)
  }
  return { hive, expectOnce }
}

interface Ended {
  signal: string | null
  error?: string
}

function drainer({ home }: Hive, fault: object | null = null): Promise<Ended> {
  const args = ["--import", injector, script, home, JSON.stringify(fault)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  let printed = ""
  child.stdout.on("data", (data) => {
    printed += data
  })
  return new Promise((resolve) => {
    child.on("close", (_, signal) => resolve({ signal, ...(printed === "" ? {} : JSON.parse(printed)) }))
  })
}
