import { appendFileSync } from "node:fs"
import { expect, test } from "vitest"
import { enqueue } from "../../src/queue/queue.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { useFilledProject } from "./filled-project.ts"
import { cliJson, shown } from "./harness.ts"

const box = useFilledProject()
const queue = (more = "") => shown(box, `queue${more}`)

test("lists waiting commands, then applied and refused ones with reason and undo, and reports unreadable lines", async () => {
  expect(await queue()).toBe("No change was made in the dashboard or the panel.\n")
  const hive = await openProcess(box.project)
  await enqueue(hive, "dashboard", { do: "save_mem", content: "Tabs, not blanks" })
  await enqueue(hive, "panel", { do: "flag_mem", mem: "ffffffff", reason: "wrong" })
  await hive.store.close()
  expect(await cliJson(box, "queue --limit 1")).toMatchObject({
    items: [{ from: "dashboard", state: "waiting", command: { do: "save_mem" }, entry: null }],
    ...{ total: 2, more: 1 },
  })
  const stdout = await queue(" --apply")
  expect(stdout).toMatch(
    /done {2}save_mem content Tabs, not blanks {2}\(dashboard\)\n.*entry: .*hivemind undo/,
  )
  expect(stdout).toMatch(
    /refused {2}flag_mem mem ffffffff, reason wrong {2}\(panel\)\n.*refused: There is no/,
  )
  const refused = { total: 1, items: [{ refusal: { why: expect.any(String) } }] }
  expect(await cliJson(box, "queue --state refused")).toMatchObject(refused)
  expect((await cliJson(box, "queue --find tabs")).total).toBe(1)
  expect(await shown(box, "memory --find Tabs")).toContain("Tabs, not blanks")
  appendFileSync(hivePaths(box.project).queue, "\nnonsense\n")
  expect(await queue()).toContain("Skipped 1 line of the queue's file without a valid command.")
})
