import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@opencode-ai/sdk"
import { expect, it, vi } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { eventReader } from "../../../src/hosts/opencode/events.ts"
import { guarded } from "../../../src/hosts/opencode/guard.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import type { BetweenTurns } from "../../../src/turns/between-turns.ts"
import { fileHive } from "../../support/file-hive.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by } from "../../support/records.ts"
import { readerOn, rowsOf } from "./event-reader.ts"

const created = sessionCreated("ses_1")
// Far more than it takes; a busy machine may need more than the second that is the default.
const WAIT_MS = 20_000

it("nothing a hook throws gets out, and the log has it", async () => {
  const log = vi.fn()
  const error = new Error("boom")
  const fails = [
    () => {
      throw error
    },
    () => Promise.reject(error),
  ]
  for (const hook of fails) await expect(guarded("test", log, hook)()).resolves.toBeUndefined()
  expect(log.mock.calls).toEqual([
    ["error", "hook test failed", error],
    ["error", "hook test failed", error],
  ])
})

it("the check at a session's start is not waited for", async () => {
  let open: (hive: Hive) => void = () => {}
  const hive = new Promise<Hive>((resolve) => {
    open = resolve
  })
  const toast = vi.fn(async () => {})
  const onEvent = readerOn({ hive: () => hive, toast })
  // The hive is not open yet, and the hook is over all the same.
  expect(onEvent(created)).toBeUndefined()
  expect(toast).not.toHaveBeenCalled()

  open(await brokenHive())
  await vi.waitFor(
    () => expect(toast).toHaveBeenCalledWith(expect.stringContaining("graph/parts/mems.")),
    WAIT_MS,
  )
})

it("a person is told of the same trouble once", async () => {
  const broken = await brokenHive()
  const health = vi.spyOn(broken.store, "health")
  const toast = vi.fn(async () => {})
  const onEvent = readerOn({ hive: async () => broken, toast })
  for (let n = 0; n < 3; n++) onEvent(created)
  await vi.waitFor(() => expect(health).toHaveBeenCalledTimes(3), WAIT_MS)
  expect(toast).toHaveBeenCalledTimes(1)
})

it("what is counted does not wait for the work after a turn, however long that takes", async () => {
  const hive = memoryHive()
  const validate = vi.fn(() => new Promise<never>(() => {}))
  const onEvent = readerOn({ hive: async () => hive, validate })
  onEvent({ type: "session.idle", properties: { sessionID: "ses_1" } })
  await vi.waitFor(() => expect(validate).toHaveBeenCalled(), WAIT_MS)
  onEvent(toolFailed("ses_1", 10))
  onEvent(turnStopped("ses_1", 11))
  await vi.waitFor(
    () => expect(rowsOf(hive, "ses_1")).toMatchObject({ failed_steps: 1, cancels: 1 }),
    WAIT_MS,
  )
})

it("what a fork copies from another session is not counted again, what happens in it is", async () => {
  const hive = memoryHive()
  const onEvent = readerOn({ hive: async () => hive })
  onEvent(sessionCreated("ses_fork", 100))
  onEvent(toolFailed("ses_fork", 99))
  onEvent(turnStopped("ses_fork", 99))
  onEvent(turnStopped("ses_fork", 101))
  await vi.waitFor(() => expect(hive.store.read().state.metrics.get("ses_fork")).toBeDefined(), WAIT_MS)
  const { counts } = hive.store.read().state.metrics.get("ses_fork") ?? {}
  expect(counts).toEqual({ cancels: 1 })
  expect(rowsOf(hive, "ses_fork")).toMatchObject({ cancels: 1 })
})

it("of a session that a thousand others came after it is forgotten when it began", () => {
  const callFailed = vi.fn()
  const ignored = () => {}
  const between = { callFailed, sessionStarted: ignored } as unknown as BetweenTurns
  const compacting = { over: ignored }
  const onEvent = eventReader(
    { between, learnParent: ignored },
    compacting,
    () => undefined,
    async () => {},
  )
  for (let n = 0; n <= 1000; n++) onEvent(sessionCreated(`ses_${n}`, 100))
  onEvent(toolFailed("ses_1000", 98))
  onEvent(toolFailed("ses_1", 97))
  expect(callFailed).not.toHaveBeenCalled()
  onEvent(toolFailed("ses_0", 99))
  expect(callFailed).toHaveBeenCalledTimes(1)
})

/** A hive with a file that somebody has broken by hand. */
async function brokenHive(): Promise<Hive> {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => tx.add("mem", aMem(1)))
  await hive.store.fold()
  const { parts } = hivePaths(hive.dir)
  const mems = join(parts, readdirSync(parts).find((name) => name.startsWith("mems.")) ?? "")
  writeFileSync(mems, readFileSync(mems, "utf8").replace('"content"', '"content'))
  return hive
}

function sessionCreated(id: string, at = 0): Event {
  return { type: "session.created", properties: { info: { id, time: { created: at } } } } as unknown as Event
}

function toolFailed(sessionID: string, end: number): Event {
  const state = { status: "error", input: {}, error: "no match", time: { start: 1, end } }
  const part = { type: "tool", callID: `call_${end}`, sessionID, tool: "edit", state }
  return { type: "message.part.updated", properties: { part } } as unknown as Event
}

function turnStopped(sessionID: string, completed: number): Event {
  const error = { name: "MessageAbortedError", data: { message: "Aborted" } }
  const info = {
    id: `msg_${completed}`,
    role: "assistant",
    sessionID,
    time: { created: 1, completed },
    error,
  }
  return { type: "message.updated", properties: { info } } as unknown as Event
}
