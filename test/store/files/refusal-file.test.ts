import { appendFileSync, mkdirSync, readFileSync } from "node:fs"
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
