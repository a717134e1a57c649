import { appendFileSync } from "node:fs"
import { beforeEach, expect, test } from "vitest"
import { openHiveIn } from "../../src/hive/open.ts"
import { enqueue } from "../../src/queue/queue.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  await fillProject(box.project)
})

test("nothing was asked for", async () => {
  expect(await cli(box, ["queue"])).toMatchObject({
    code: 0,
    stdout: "Nothing was asked for from outside.\n",
  })
})

test("what waits, then what was applied or refused, with the reason and the way back; strange lines are told", async () => {
  const { hive } = await openHiveIn(box.project, {
    source: systemSource,
    userConfig: null,
    options: { name: "test", value: {} },
  })
  await enqueue(hive, "dashboard", { do: "save_mem", content: "Tabs, not blanks" })
  await enqueue(hive, "panel", { do: "flag_mem", mem: "ffffffff", reason: "wrong" })
  await hive.store.close()
  const json = async (...args: string[]) => JSON.parse((await cli(box, ["queue", ...args, "--json"])).stdout)
  expect(await json("--limit", "1")).toMatchObject({
    items: [{ from: "dashboard", state: "waiting", command: { do: "save_mem" }, entry: null }],
    total: 2,
    more: 1,
  })
  const { code, stdout } = await cli(box, ["queue", "--apply"])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /done {2}save_mem content Tabs, not blanks {2}\(dashboard\)\n.*entry: .*hivemind undo/,
  )
  expect(stdout).toMatch(
    /refused {2}flag_mem mem ffffffff, reason wrong {2}\(panel\)\n.*refused: There is no/,
  )
  expect(await json("--state", "refused")).toMatchObject({
    total: 1,
    items: [{ refusal: { why: expect.any(String) } }],
  })
  expect((await json("--find", "tabs")).total).toBe(1)
  expect((await cli(box, ["memory", "--find", "Tabs"])).stdout).toContain("Tabs, not blanks")
  appendFileSync(hivePaths(box.project).queue, "\nnonsense\n")
  expect((await cli(box, ["queue"])).stdout).toContain("1 line of the queue's file: no command, and skipped.")
})
