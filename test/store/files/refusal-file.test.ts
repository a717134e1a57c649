import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { expect, it } from "vitest"
import type { RefusedCall } from "../../../src/schemas/refusal.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { refusalFile } from "../../../src/store/files/log-file.ts"
import { tempProject } from "../../support/temp-project.ts"

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

async function project() {
  const paths = hivePaths(await tempProject())
  mkdirSync(paths.graph, { recursive: true })
  return { paths, file: refusalFile(paths) }
}

it("keeps refusals in order, with secrets masked, and skips what is no refusal", async () => {
  const { paths, file } = await project()
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

it("stays bounded for any number and size of refusals", async () => {
  const { paths, file } = await project()
  const long = "x".repeat(10_000)
  const files = Array.from({ length: 1000 }, (_, n) => `${n}${long}`)
  for (let n = 0; n < 60; n++)
    file.add(refused({ what: `${n} ${long}`, command: long, evidence: long, files }))
  await file.idle()
  const size = [paths.refusals, paths.olderRefusals].reduce((sum, path) => sum + statSync(path).size, 0)
  expect(size).toBeLessThan(600 * 1024)
  expect(file.read().at(-1)?.what).toMatch(/^59 x/)
})

it("makes no folder where HiveMind was not set up", async () => {
  const paths = hivePaths(await tempProject())
  const file = refusalFile(paths)
  file.add(refused())
  await file.idle()
  expect(existsSync(paths.root)).toBe(false)
  expect(file.read()).toEqual([])
})
