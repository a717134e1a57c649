import { beforeEach, expect, test } from "vitest"
import type { RefusedCall } from "../../src/schemas/refusal.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { refusalFile } from "../../src/store/files/log-file.ts"
import { fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  await fillProject(box.project)
})

const scope: RefusedCall = {
  at: "2999-01-01T10:00:00.000Z",
  session: "ses_one",
  agent: "hive-executor",
  tool: "write",
  code: "scope",
  what: "hive-executor may not write .env.",
  why: "It is outside the paths of this role.",
  use_instead: "Keep to the role's paths.",
  evidence: "path_scopes of hive-executor",
  files: [".env"],
  command: null,
}
const lifted = 'let it start a task, or set `governance` to "assisted"'
const stopped: RefusedCall = {
  ...scope,
  at: "2999-01-02T10:00:00.000Z",
  session: "ses_two",
  agent: "build",
  tool: "bash",
  code: "no_task",
  what: "bash was not run on a.ts.",
  why: "Governance is strict, and this session has no active task.",
  command: "echo x > a.ts",
}

async function refuse(...calls: RefusedCall[]): Promise<void> {
  const file = refusalFile(hivePaths(box.project))
  for (const each of calls) file.add(each)
  await file.idle()
}

test("a blocked task and a command that cannot be undone say how they are lifted", async () => {
  const what = "bash was not run: it overwrites a branch on the remote (force push)."
  await refuse(
    { ...scope, code: "lifecycle", what: 'write was not run for "Parse".' },
    { ...scope, code: "destructive", what },
  )
  const { stdout } = await cli(box, ["log", "refusals"])
  expect(stdout).toContain("to lift: settle its dependencies (`hivemind tasks <id>` lists them)")
  expect(stdout).toContain(
    "to lift: run it yourself, ask for it in your next message, or add it to `allow_commands`",
  )
})

test("the newest first, with files, reason, and how a person lifts it; the same again is counted", async () => {
  await refuse(scope, stopped, { ...stopped, at: "2999-01-03T10:00:00.000Z" })
  const { stdout } = await cli(box, ["log", "refusals"])
  expect(stdout).toMatch(/bash was not run on a\.ts\. {2}\(build, ses_two\) {2}2 times in a row/)
  expect(stdout).toContain("command: echo x > a.ts\n")
  expect(stdout).toContain(`to lift: ${lifted}\n`)
  expect(stdout).toContain("files: .env\n")
  expect(stdout).toContain("to lift: widen `path_scopes` in .hivemind/system/config.json\n")
  expect(stdout.indexOf("bash was not run")).toBeLessThan(stdout.indexOf("may not write .env"))
})

test("--json has the same for programs; --session, --since and --limit choose", async () => {
  await refuse(scope, stopped)
  const json = async (...args: string[]) =>
    JSON.parse((await cli(box, ["log", "refusals", ...args, "--json"])).stdout)
  expect(await json()).toMatchObject({
    status: "success",
    total: 2,
    more: 0,
    items: [
      { code: "no_task", lift: lifted, times: 1 },
      { code: "scope", files: [".env"] },
    ],
  })
  expect((await json("--session", "ses_one")).items).toMatchObject([{ session: "ses_one" }])
  expect((await json("--since", "2999-01-02")).items).toMatchObject([{ session: "ses_two" }])
  expect(await json("--limit", "1")).toMatchObject({ total: 2, more: 1, items: [{ session: "ses_two" }] })
  expect((await cli(box, ["log", "refusals", "--limit", "none"])).code).toBe(2)
})

test("hivemind log has them at their time, unless it is about one record", async () => {
  await refuse(scope, { ...scope, at: "1999-01-01T10:00:00.000Z", what: "long before" })
  const { stdout } = await cli(box, ["log"])
  expect(stdout.split("\n")[0]).toMatch(/refused {2}write \(hive-executor, ses_one\): hive-executor may not/)
  expect(stdout).not.toContain("long before")
  expect((await cli(box, ["log", "--reverse"])).stdout.trim().split("\n").at(-1)).toContain("refused  write")
  expect(JSON.parse((await cli(box, ["log", "--json"])).stdout).refusals).toMatchObject([{ code: "scope" }])
  expect((await cli(box, ["log", "--record", "00"])).stdout).not.toContain("refused")
})
