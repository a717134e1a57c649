import { spawn } from "node:child_process"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { applyCommand } from "../../src/queue/apply.ts"
import { drain, enqueue, outcomeOf, queueContents, waiting } from "../../src/queue/queue.ts"
import type { QueuedCommand, WaitingCommand } from "../../src/schemas/queued-command.ts"
import { HiveError } from "../../src/shared/error.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { CHANGING, FILLING } from "../store/faults/lab.ts"
import { defined } from "../support/defined.ts"
import { trials } from "../support/effort.ts"
import { fileHive } from "../support/file-hive.ts"
import { lineProcess } from "../support/line-process.ts"
import { addTask, by, uuid } from "../support/records.ts"

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

async function withCommands(count: number) {
  const { hive } = await aHive()
  const commands = Array.from({ length: count }, (_, n): WaitingCommand => {
    const command: QueuedCommand =
      n % 2 === 0
        ? { do: "save_mem", content: `Mem ${n}` }
        : { do: "edit_task", task: uuid(3), title: `Title ${n}` }
    return { id: uuid(n + 100_000), at: new Date().toISOString(), from: "test", command }
  })
  const lines = commands.map((command) => `\n${JSON.stringify(command)}\n`)
  fs.appendFileSync(hivePaths(hive.home).queue, lines.join(""))

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

const edit = (title: string) => ({ do: "edit_task", task: uuid(3), title }) as const
const line = (n: number, command: unknown, more = {}) =>
  JSON.stringify({ id: uuid(n), at: "2026-02-11T14:30:00.000Z", from: "test", command, ...more })

describe("after a crash", () => {
  async function appliedWithoutNote(hive: Hive) {
    const applied = await applyCommand(hive, defined(waiting(hive)[0]), () => true)
    await hive.store.write(by, (tx) => tx.set("task", uuid(3), { title: "Later, by hand" }))
    return applied
  }

  it("between the write and its note, the note is made and nothing is applied again", async () => {
    const { hive, title } = await aHive()
    const id = await enqueue(hive, "dashboard", edit("By the queue"))
    const { entry } = await appliedWithoutNote(hive)
    expect(await drain(hive)).toEqual({ applied: 1, refused: 0 })
    expect(outcomeOf(hive, id)).toMatchObject({ ok: true, entry: entry?.id })
    expect(title()).toBe("Later, by hand")
  })

  it.each([3, 24 * 40])("also with a clock that was set back by %d hours in between", async (hours) => {
    const { hive, path, title } = await aHive()
    // Given by the old clock, applied by the new one.
    const ahead = new Date(hive.source.now() + hours * 3_600_000).toISOString()
    fs.writeFileSync(path, `\n${line(50, edit("By the queue"), { at: ahead })}\n`)
    await appliedWithoutNote(hive)
    // By now the clock may be there again.
    const later: Hive = { ...hive, source: { ...hive.source, now: () => hive.source.now() + 5 * 3_600_000 } }
    expect(await drain(later)).toEqual({ applied: 1, refused: 0 })
    expect(title()).toBe("Later, by hand")
  })

  it("a torn last line is no command, and spoils none that comes after it", async () => {
    const { hive, path, title } = await aHive()
    fs.writeFileSync(path, `\n${line(50, edit("First"))}\n\n${line(51, edit("Torn")).slice(0, -9)}`)
    expect(await drain(hive)).toEqual({ applied: 1, refused: 0 })
    expect(title()).toBe("First")
    await enqueue(hive, "dashboard", edit("Second"))
    expect(await drain(hive)).toEqual({ applied: 1, refused: 0 })
    expect(title()).toBe("Second")
    expect(queueContents(hive)).toMatchObject({ strange: 1 })
  })
})

it("lines that are no commands are skipped and counted; a command that is not valid is refused with the reason", async () => {
  const { hive, path, title } = await aHive()
  const strange = [
    "not json",
    "null",
    "[]",
    `{"id":"../../x","at":"now","from":"x","command":{}}`,
    line(60, edit("x"), { extra: 1 }),
    `{"done":"${uuid(77)}","at":"2026-02-11T14:30:00.000Z","ok":true,"entry":null}`,
    "\u0000\u0001\uffff",
    "[".repeat(20_000),
    // It can be read, but neither written again nor shown.
    line(67, 0).replace('"command":0', `"command":${"[".repeat(9000)}${"]".repeat(9000)}`),
  ]
  const refused = [
    line(61, { do: "rm" }),
    line(62, null),
    line(63, { ...edit("x"), status: "completed" }),
    line(64, { do: "undo", entry: "x".repeat(1000) }),
    `{"id":"${uuid(65)}","at":"2026-02-11T14:30:00.000Z","from":"t","command":{"__proto__":{"do":"undo"}}}`,
  ]
  // The second one of the same id is ignored.
  const lines = [...strange, ...refused, line(66, edit("Fine")), line(66, edit("Not this one"))]
  fs.appendFileSync(path, lines.map((each) => `\n${each}\n`).join(""))
  expect(await drain(hive)).toEqual({ applied: 1, refused: refused.length })
  expect(title()).toBe("Fine")
  expect(queueContents(hive)).toMatchObject({ strange: strange.length + 1 })
  expect(outcomeOf(hive, uuid(61))).toMatchObject({
    ok: false,
    what: "The command was not run: do is not valid.",
  })
  expect(outcomeOf(hive, uuid(60))).toBeUndefined()
  expect(waiting(hive)).toEqual([])
})

it("an unexpected error is the outcome of its command, and those behind it are applied", async () => {
  const { hive, title } = await aHive()
  const ids = [await enqueue(hive, "x", { do: "save_mem", content: "y" })]
  ids.push(await enqueue(hive, "x", edit("Behind it")))
  const append = async () => {
    throw new TypeError("cannot read of undefined")
  }
  const broken: Hive = { ...hive, store: { ...hive.store, append } }
  expect(await drain(broken)).toEqual({ applied: 1, refused: 1 })
  expect(outcomeOf(hive, ids[0] ?? "")).toMatchObject({ ok: false, why: "cannot read of undefined" })
  expect(title()).toBe("Behind it")
})

it.each(["locked", "closed", "newer_format", "unconfirmed"] as const)(
  "an error that says nothing about the command (%s) keeps it waiting, and it is applied later",
  async (code) => {
    const { hive } = await aHive()
    const id = await enqueue(hive, "dashboard", { do: "save_mem", content: "y" })
    const append = async () => {
      throw new HiveError({ code, what: "Nothing was written.", why: "x", use_instead: "x", evidence: "x" })
    }
    await expect(drain({ ...hive, store: { ...hive.store, append } })).rejects.toMatchObject({ code })
    expect(outcomeOf(hive, id)).toBe("waiting")
    expect(await drain(hive)).toEqual({ applied: 1, refused: 0 })
  },
)

it("old finished ones are let go, and what waits never is", async () => {
  const { hive, path } = await aHive()
  fillQueue(path)
  const size = fs.statSync(path).size
  expect(await drain(hive, 380)).toEqual({ applied: 0, refused: 380 })
  expect(fs.statSync(path).size).toBeLessThan(size)
  const { finished, waiting: left } = queueContents(hive)
  expect([finished.size, left.size]).toEqual([300, 20])
  expect(outcomeOf(hive, uuid(1000 + 379))).toMatchObject({ ok: false })
  expect(outcomeOf(hive, uuid(1000))).toBeUndefined()
  // Another reader of the file finds the same.
  expect(fs.readFileSync(path, "utf8").split("\n").filter(Boolean)).toHaveLength(620)
})

it("where the file cannot be written, who asks is told so", async () => {
  const { hive, path } = await aHive()
  fs.rmSync(path, { force: true })
  fs.mkdirSync(path)
  await expect(enqueue(hive, "dashboard", edit("x"))).rejects.toMatchObject({
    code: "not_writable",
    what: "Could not write to the queue.",
  })
  await expect(drain(hive)).rejects.toMatchObject({ code: "not_readable", what: "Could not read the queue." })
})

it("many that ask at once, while it is shortened: none is lost", async () => {
  const { hive, path } = await aHive()
  fillQueue(path)
  const asked = Array.from({ length: 40 }, (_, n) => enqueue(hive, "dashboard", edit(`Title ${n}`)))
  const [ids] = await Promise.all([Promise.all(asked), drain(hive, 400)])
  while (waiting(hive).length > 0) await drain(hive)
  for (const id of ids) expect(outcomeOf(hive, id)).toMatchObject({ ok: true })
})

it("a command that was written into a file that another process has replaced meanwhile is added again", async () => {
  const { hive, path } = await aHive()
  await enqueue(hive, "dashboard", edit("First"))
  const { fsyncSync } = fs
  const restore = () => {
    fs.fsyncSync = fsyncSync
    syncBuiltinESMExports()
  }
  onTestFinished(restore)
  const copy = `${path}.copy`
  fs.writeFileSync(copy, fs.readFileSync(path))
  // Between the write and its sync, as a process does that shortens the file and took the lock over.
  fs.fsyncSync = (fd) => {
    restore()
    fs.renameSync(copy, path)
    fsyncSync(fd)
  }
  syncBuiltinESMExports()
  const id = await enqueue(hive, "dashboard", edit("Second"))
  expect(fs.existsSync(copy)).toBe(false)
  expect(outcomeOf(hive, id)).toBe("waiting")
})

async function aHive() {
  const hive = await fileHive()
  await hive.store.write(by, addTask)
  const title = () => hive.store.read().state.task.get(uuid(3))?.title
  return { hive, path: hivePaths(hive.home).queue, title }
}

function fillQueue(path: string): void {
  const command = { do: "unblock_task", task: uuid(3), long: "x".repeat(4000) }
  const lines = Array.from({ length: 400 }, (_, n) => `\n${line(1000 + n, command)}\n`)
  fs.appendFileSync(path, lines.join(""))
}
