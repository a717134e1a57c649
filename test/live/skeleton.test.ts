import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { partFile, partFiles } from "../support/parts.ts"
import { openBed } from "./bed/bed.ts"
import { hive, save } from "./bed/steps.ts"

it("the plugin in the real OpenCode: goes on when the files are damaged, tells the log, and ends no turn", async () => {
  await using bed = await openBed()
  const session = await bed.newSession("s")
  await bed.prompt(session, "Go", save("Kept"))
  await expect.poll(() => partFiles(bed.project, "mems")).toHaveLength(1)
  await bed.stop()
  const mems = partFile(bed.project, "mems")
  writeFileSync(join(bed.project, ".hivemind", mems), '{"mems":[{"id": broken')
  writeFileSync(join(bed.project, ".hivemind/system/config.json"), '{"governance": "loud", "colour": 1}')
  await bed.restart()
  const turn = await bed.prompt(await bed.newSession("t"), "What is there?", hive("memory list"))
  expect(turn).toMatchObject({ error: undefined, text: "done" })
  expect(turn.replies[0]).toMatchObject({ count: 1, mems: [{ content: "Kept" }] })
  await expect.poll(() => bed.pluginLog()).toContain(mems)
  const log = await bed.pluginLog()
  expect(log).toContain("governance")
  expect(log).toContain('no option "colour"')
  expect(bed.printed()).toBe("")
})
