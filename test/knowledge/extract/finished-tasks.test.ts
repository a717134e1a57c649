import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { extractFinishedTasks } from "../../../src/knowledge/extract/extract-mems.ts"
import { recordCheckpoint } from "../../../src/work/task/checkpoint.ts"
import { leaveEvidence } from "../../support/evidence.ts"
import { beginWork, hiveAtWork, openProcess, SESSION } from "../../support/hive-at-work.ts"
import { by } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"
import { callTool } from "../../tools/call-tool.ts"

const caller = { session: "ses_other", agent: null, tool: "test" }
const complete = async (hive: Hive, evidence: string) => {
  await leaveEvidence(hive)
  return callTool(hive, "task", { action: "complete", evidence })
}

it("a completed task becomes a mem with its evidence and files, in the first process that sees it", async () => {
  const { hive, task, session } = await hiveAtWork()
  mkdirSync(join(hive.dir, "src"))
  writeFileSync(join(hive.dir, "src/form.ts"), "")
  const record = hive.store.read().state.task.get(task)
  if (record === undefined) throw new Error("there is a task")
  const outcome = { tool: "write", summary: "x", files: ["src/form.ts"], command: null, ok: true }
  await recordCheckpoint(hive, { ...caller, session: SESSION }, record, outcome)
  expect(await extractFinishedTasks(hive, caller)).toEqual([])
  await complete(hive, "the form posts JSON and shows errors")
  const [mem, ...more] = await extractFinishedTasks(hive, caller)
  expect(more).toEqual([])
  expect(mem).toMatchObject({
    shelf: "done",
    kind: "fact",
    content: "Write the form: the form posts JSON and shows errors",
    origin_task_id: task,
    session_id: SESSION,
    stamp: session.stamp,
    evidence: ["src/form.ts"],
    origin: "finished_task",
    confidence: 0.6,
  })
  const done = hive.store.read().state.task.get(task)?.completed_at ?? ""
  expect(mem?.created_at).toBe(done)
  expect(Date.parse(mem?.stale_at ?? "") - Date.parse(done)).toBe(72 * 3_600_000)
})

it("makes the mem only once, also after a restart, a purge or archiving", async () => {
  const project = await tempProject()
  const hive = await openProcess(project)
  await beginWork(hive)
  await complete(hive, "it is all there and works")
  const [mem] = await extractFinishedTasks(hive, caller)
  expect(await extractFinishedTasks(hive, caller)).toEqual([])
  await hive.store.close()

  const second = await openProcess(project)
  expect(await extractFinishedTasks(second, caller)).toEqual([])
  await second.store.write(by, (tx) => tx.set("mem", mem?.id ?? "", { status: "purged" }))
  expect(await extractFinishedTasks(second, caller)).toEqual([])
  await second.store.fold()
  expect(second.store.read().state.mem.size).toBe(0)
  await second.store.close()

  const third = await openProcess(project)
  expect(await extractFinishedTasks(third, caller)).toEqual([])
  expect(third.store.read().state.mem.size).toBe(0)
  await third.store.close()
})

it("skips a task without files and evidence, and one so old that its mem would be stale", async () => {
  const { hive } = await hiveAtWork()
  await complete(hive, "done now")
  expect(await extractFinishedTasks(hive, caller)).toEqual([])
  await callTool(hive, "session", { action: "update", level: "action", content: "Old" })
  await complete(hive, "it is all there and works")
  hive.source.seconds += 73 * 3600
  expect(await extractFinishedTasks(hive, caller)).toEqual([])
})
