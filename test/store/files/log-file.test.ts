import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { RefusedCall } from "../../../src/schemas/refusal.ts"
import { createLayout, hivePaths } from "../../../src/store/files/layout.ts"
import { openLog, refusalFile } from "../../../src/store/files/log-file.ts"
import { countingSource } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

it("writes lines up to the level, errors with their stack", async () => {
  const project = await tempProject()
  await createLayout(project)
  const { log, idle } = openLog(hivePaths(project), countingSource().now, () => "info")
  log("info", "hello", { a: 1 })
  log("debug", "too much")
  log("error", "failed", new Error("boom"))
  await idle()
  const text = readFileSync(join(hivePaths(project).logDir, "hivemind.log"), "utf8")
  expect(text).toMatch(/^2026-02-11T14:30:00.000Z info hello \{"a":1\}\n.* error failed Error: boom\n {2}/)
  expect(text).not.toContain("too much")
})

it("stays bounded, however much is logged", async () => {
  const project = await tempProject()
  await createLayout(project)
  const { log, idle } = openLog(hivePaths(project), countingSource().now, () => "info")
  for (let n = 0; n < 400; n++) log("info", "x".repeat(20_000))
  await idle()
  const { logDir } = hivePaths(project)
  const sizes = readdirSync(logDir).map((name) => statSync(join(logDir, name)).size)
  expect(sizes).toHaveLength(2)
  expect(Math.max(...sizes)).toBeLessThan(600 * 1024)
})

it("does not create .hivemind/ only to log, and does not throw if it cannot write", async () => {
  const project = await tempProject()
  const { log, idle } = openLog(hivePaths(project), countingSource().now, () => "info")
  log("error", "this is not set up")
  await idle()
  expect(existsSync(join(project, ".hivemind"))).toBe(false)
})

const refused = (more: Partial<RefusedCall> = {}): RefusedCall => ({
  at: "2026-02-11T14:30:00.000Z",
  session: "ses_1",
  agent: "build",
  tool: "write",
  code: "no_task",
  what: "write was not run.",
  why: "No task.",
  use_instead: "Start one.",
  evidence: "read-head",
  files: ["a.ts"],
  command: null,
  ...more,
})

async function refusals() {
  const paths = hivePaths(await tempProject())
  mkdirSync(paths.graph, { recursive: true })
  return { paths, file: refusalFile(paths) }
}

it("keeps refusals in order, with secrets masked, and skips what is no refusal", async () => {
  const { paths, file } = await refusals()
  const token = `ghp_${"a1B2".repeat(9)}`
  file.add(refused({ command: `curl -H "Authorization: Bearer ${token}" x`, tool: "bash" }))
  await file.idle()
  appendFileSync(paths.refusals, '\n{"half":')
  file.add(refused({ what: "second" }))
  await file.idle()
  expect(file.read().map(({ tool, what }) => [tool, what])).toEqual([
    ["bash", "write was not run."],
    ["write", "second"],
  ])
  expect(readFileSync(paths.refusals, "utf8")).not.toContain(token)
})
