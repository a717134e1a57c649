import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { applyCommand } from "../../src/queue/apply.ts"
import { drain, enqueue, outcomeOf, queueContents, waiting } from "../../src/queue/queue.ts"
import { HiveError } from "../../src/shared/error.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { fileHive } from "../support/file-hive.ts"
import { aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"

const edit = (title: string) => ({ do: "edit_task", task: uuid(3), title }) as const
const line = (n: number, command: unknown, more = {}) =>
  JSON.stringify({ id: uuid(n), at: "2026-02-11T14:30:00.000Z", from: "test", command, ...more })

describe("after a crash", () => {
  it("between the write and its note, the note is made and nothing is applied again", async () => {
    const { hive, title } = await aHive()
    const id = await enqueue(hive, "dashboard", edit("By the queue"))
    const [command] = waiting(hive)
    if (command === undefined) throw new Error("nothing waits")
    const { entry } = await applyCommand(hive, command, () => true)
    await hive.store.write(by, (tx) => tx.set("task", uuid(3), { title: "Later, by hand" }))
    expect(await drain(hive)).toEqual({ applied: 1, refused: 0 })
    expect(outcomeOf(hive, id)).toMatchObject({ ok: true, entry: entry?.id })
    expect(title()).toBe("Later, by hand")
  })

  it.each([3, 24 * 40])("also with a clock that was set back by %d hours in between", async (hours) => {
    const { hive, path, title } = await aHive()
    // Given by the old clock, applied by the new one.
    const ahead = new Date(hive.source.now() + hours * 3_600_000).toISOString()
    writeFileSync(path, `\n${line(50, edit("By the queue"), { at: ahead })}\n`)
    const [command] = waiting(hive)
    if (command === undefined) throw new Error("nothing waits")
    await applyCommand(hive, command, () => true)
    await hive.store.write(by, (tx) => tx.set("task", uuid(3), { title: "Later, by hand" }))
    // By now the clock may be there again.
    const later: Hive = { ...hive, source: { ...hive.source, now: () => hive.source.now() + 5 * 3_600_000 } }
    expect(await drain(later)).toEqual({ applied: 1, refused: 0 })
    expect(title()).toBe("Later, by hand")
  })

  it("a torn last line is no command, and spoils none that comes after it", async () => {
    const { hive, path, title } = await aHive()
    writeFileSync(path, `\n${line(50, edit("First"))}\n\n${line(51, edit("Torn")).slice(0, -9)}`)
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
  appendFileSync(path, lines.map((each) => `\n${each}\n`).join(""))
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
  const long = "x".repeat(4000)
  const many = Array.from({ length: 400 }, (_, n) =>
    line(1000 + n, { do: "unblock_task", task: uuid(3), long }),
  )
  appendFileSync(path, many.map((each) => `\n${each}\n`).join(""))
  const size = statSync(path).size
  expect(await drain(hive, 380)).toEqual({ applied: 0, refused: 380 })
  expect(statSync(path).size).toBeLessThan(size)
  const { finished, waiting: left } = queueContents(hive)
  expect([finished.size, left.size]).toEqual([300, 20])
  expect(outcomeOf(hive, uuid(1000 + 379))).toMatchObject({ ok: false })
  expect(outcomeOf(hive, uuid(1000))).toBeUndefined()
  // Another reader of the file finds the same.
  expect(readFileSync(path, "utf8").split("\n").filter(Boolean)).toHaveLength(620)
})

it("where the file cannot be written, who asks is told so", async () => {
  const { hive, path } = await aHive()
  rmSync(path, { force: true })
  mkdirSync(path)
  await expect(enqueue(hive, "dashboard", edit("x"))).rejects.toMatchObject({
    code: "not_writable",
    what: "Could not write to the queue.",
  })
  await expect(drain(hive)).rejects.toMatchObject({ code: "not_readable", what: "Could not read the queue." })
})

it("many that ask at once, while it is shortened: none is lost", async () => {
  const { hive, path } = await aHive()
  const long = "x".repeat(4000)
  const many = Array.from({ length: 400 }, (_, n) =>
    line(1000 + n, { do: "unblock_task", task: uuid(3), long }),
  )
  appendFileSync(path, many.map((each) => `\n${each}\n`).join(""))
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
  writeFileSync(copy, readFileSync(path))
  // Between the write and its sync, as a process does that shortens the file and took the lock over.
  fs.fsyncSync = (fd) => {
    restore()
    renameSync(copy, path)
    fsyncSync(fd)
  }
  syncBuiltinESMExports()
  const id = await enqueue(hive, "dashboard", edit("Second"))
  expect(existsSync(copy)).toBe(false)
  expect(outcomeOf(hive, id)).toBe("waiting")
})

async function aHive() {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
  })
  const title = () => hive.store.read().state.task.get(uuid(3))?.title
  return { hive, path: hivePaths(hive.home).queue, title }
}
