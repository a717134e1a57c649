import { expect, test } from "vitest"
import type { RefusedCall } from "../../src/schemas/refusal.ts"
import { refuse, useFilledProject } from "./filled-project.ts"
import { cliJson, shown } from "./harness.ts"

const box = useFilledProject()

const scope: RefusedCall = {
  at: "2999-01-01T10:00:00.000Z",
  ...{ session: "ses_one", agent: "hive-executor", tool: "write", code: "scope" },
  what: "hive-executor may not write .env.",
  why: "It is outside the paths of this role.",
  use_instead: "Keep to the role's paths.",
  ...{ evidence: "path_scopes of hive-executor", files: [".env"], command: null },
}
const lifted = 'let it start a task, or set `governance` to "assisted"'
const stopped: RefusedCall = {
  ...scope,
  at: "2999-01-02T10:00:00.000Z",
  ...{ session: "ses_two", agent: "build", tool: "bash", code: "no_task", command: "echo x > a.ts" },
  what: "bash was not run on a.ts.",
  why: "Governance is strict, and this session has no active task.",
}

test("a blocked task and a command that cannot be undone say how they are lifted", async () => {
  const what = "bash was not run: it overwrites a branch on the remote (force push)."
  const blocked = { ...scope, code: "lifecycle", what: 'write was not run for "Parse".' }
  await refuse(box.project, blocked, { ...scope, code: "destructive", what })
  const stdout = await shown(box, "log refusals")
  expect(stdout).toContain("to lift: settle its dependencies (`hivemind tasks <id>` lists them)")
  const allow = "run it yourself, ask for it in your next message, or add it to `allow_commands`"
  expect(stdout).toContain(`to lift: ${allow}`)
})

test("a command that HiveMind had no permission to run is lifted with run_commands, not with allowed_tools", async () => {
  const what = "The command was not run."
  const call = { ...scope, code: "not_allowed", what, tool: "shell", files: [], command: "touch made" }
  await refuse(box.project, { ...call, needs_permission: true }, { ...call, session: "other" })
  const { items } = await cliJson(box, "log refusals")
  expect(items.map(({ lift }: { lift: string }) => lift)).toEqual([
    expect.stringContaining("`allowed_tools`"),
    expect.stringContaining("`hivemind config set run_commands allow --global`"),
  ])
})

test("lists the newest first, with files, reason and how to allow it; repeats are counted", async () => {
  await refuse(box.project, scope, stopped, { ...stopped, at: "2999-01-03T10:00:00.000Z" })
  const stdout = await shown(box, "log refusals")
  expect(stdout).toMatch(/bash was not run on a\.ts\. {2}\(build, ses_two\) {2}2 times in a row/)
  expect(stdout).toContain("command: echo x > a.ts\n")
  expect(stdout).toContain(`to lift: ${lifted}\n`)
  expect(stdout).toContain("files: .env\n")
  expect(stdout).toContain("to lift: widen `path_scopes` in .hivemind/system/config.json\n")
  expect(stdout.indexOf("bash was not run")).toBeLessThan(stdout.indexOf("may not write .env"))
})

test("--json has the same for programs; an id, --session, --since and --code choose", async () => {
  await refuse(box.project, scope, stopped)
  const json = (args = "") => cliJson(box, `log refusals${args}`)
  const all = await json()
  expect(all).toMatchObject({
    ...{ status: "success", total: 2, more: 0 },
    items: [
      { code: "no_task", lift: lifted, times: 1 },
      { code: "scope", files: [".env"] },
    ],
  })
  expect(await shown(box, `log refusals ${all.items[1].short}`)).toContain("Keep to the role's paths.")
  for (const [choice, session] of [
    [" --session ses_one", "ses_one"],
    [` --session ${box.stamp}`, "ses_one"],
    [" --since 2999-01-02", "ses_two"],
    [" --code scope", "ses_one"],
  ] as const)
    expect((await json(choice)).items, choice).toMatchObject([{ session }])
})

test("hivemind log shows refusals by time, except in the log of one record", async () => {
  const before = { ...scope, at: "1999-01-01T10:00:00.000Z", what: "long before" }
  await refuse(box.project, scope, before)
  const stdout = await shown(box, "log")
  expect(stdout.split("\n")[0]).toMatch(/refused {2}write \(hive-executor, ses_one\): hive-executor may not/)
  expect(stdout).not.toContain("long before")
  expect((await shown(box, "log --reverse")).trim().split("\n").at(-1)).toContain("refused  write")
  expect((await cliJson(box, "log")).refusals).toMatchObject([{ code: "scope" }])
  expect(await shown(box, `log ${box.task}`)).not.toContain("refused")
})
