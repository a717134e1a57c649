import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { defined } from "../support/defined.ts"
import { memoryHive } from "../support/hive.ts"
import { hiveAtWork, idle } from "../support/hive-at-work.ts"
import { callTool } from "./call-tool.ts"

it("export writes a file at once, even if the option is off, and returns its name and issues", async () => {
  const { hive, session } = await hiveAtWork({ export_on_idle: false })
  expect(await idle(hive)).toBeUndefined()
  const reply = await callTool(hive, "cycle export")
  const name = `${session.stamp}-001.json`
  const file = `.hivemind/sessions/archive/exports/${name}`
  const issues = ['"Write the form" is active']
  expect(reply).toEqual({ status: "success", entity_id: name, file, is_complete: false, issues })
  expect(existsSync(join(hive.dir, reply.file))).toBe(true)
})

it("the fourth export returns the id of the mem that was made of all four", async () => {
  const { hive } = await hiveAtWork()
  const { id } = defined([...hive.store.read().state.task.values()].at(-1))
  await callTool(hive, "task fail", { task_id: id, reason: "jose is broken" })
  for (let n = 1; n < 4; n++) expect(await callTool(hive, "cycle export")).not.toHaveProperty("synthesis")
  const { synthesis } = await callTool(hive, "cycle export")
  expect(hive.store.read().state.mem.get(synthesis)?.content).toContain("jose is broken")
})

it("list shows the newest first, and the skipped files; prune keeps as many as the option or the argument says", async () => {
  const { hive, paths, session } = await hiveAtWork({ exports_kept: 4 })
  for (let n = 0; n < 4; n++) await callTool(hive, "cycle export")
  writeFileSync(join(paths.exports, "mine.txt"), "x")
  const { count, exports, left_alone } = await callTool(hive, "cycle list")
  expect(count).toBe(4)
  const name = `${session.stamp}-004.json`
  expect(exports[0]).toMatchObject({ name, stamp: session.stamp, is_complete: false, issues: 1 })
  expect(left_alone).toEqual([{ name: "mine.txt", reason: "it is not named like an export" }])
  expect(await callTool(hive, "cycle prune")).toMatchObject({ kept: 4, removed: 0 })
  expect(await callTool(hive, "cycle prune", { keep: 1 })).toMatchObject({ kept: 1, removed: 3 })
  expect(await callTool(hive, "cycle prune", { keep: -1 })).toMatchObject({ code: "invalid_argument" })
})

it("a session without a record is refused with a way out, and nothing is written", async () => {
  const { hive } = await hiveAtWork()
  const reply = await callTool(hive, "cycle export", {}, "ses_unknown")
  expect(reply).toMatchObject({ status: "error", code: "not_found", evidence: "ses_unknown" })
  for (const part of ["what", "why", "use_instead"]) expect(reply[part]).toMatch(/\w/)
  expect(await callTool(memoryHive(), "cycle list")).toMatchObject({ count: 0 })
})
