import { expect, it } from "vitest"
import { memoryHive } from "../support/hive.ts"
import { aConflict, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { callTool } from "./call-tool.ts"

it("the model settles a conflict by the id that it was shown", async () => {
  const hive = memoryHive()
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
  })
  await hive.store.write(by, (tx) => {
    tx.set("task", uuid(3), { status: "failed", reason: "it broke" })
    tx.add("conflict", aConflict(9))
  })
  const call = (args: object) => callTool(hive, "session settle", { ...args })
  expect(await call({ conflict: "00000000-0000-4000-8000-000000000009" })).toMatchObject({
    status: "error",
    code: "invalid_argument",
  })
  expect(await call({ conflict: uuid(9), take: "lost" })).toEqual({
    status: "success",
    entity_id: uuid(9),
    conflicts_left: 0,
  })
  expect(hive.store.read().state.task.get(uuid(3))).toMatchObject({
    status: "completed",
    evidence: "it works",
  })
  expect((await hive.store.log()).at(-1)?.by).toMatchObject({
    tool: "hivemind_session.settle",
    session: "ses_1",
  })
  expect(await call({ conflict: uuid(9), take: "kept" })).toMatchObject({ status: "error", code: "conflict" })
})
