import { statSync } from "node:fs"
import { expect, it, onTestFinished, vi } from "vitest"
import { enqueue, outcomeOf } from "../../src/queue/queue.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { connectedAt } from "../support/connected.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { aPlan, by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("an idle host applies queued commands", async () => {
  const { hive, dir } = await outside()
  connectedAt(dir)
  const id = await enqueue(hive, "dashboard", { do: "save_mem", content: "Tabs" })
  await expect.poll(() => outcomeOf(hive, id)).toMatchObject({ ok: true })
  const later = await enqueue(hive, "dashboard", { do: "save_mem", content: "Blanks" })
  await expect.poll(() => outcomeOf(hive, later)).toMatchObject({ ok: true })
})

it("a message applies queued commands", async () => {
  // Nothing is looked for in between.
  vi.stubGlobal("setInterval", () => setTimeout(() => {}, 0))
  onTestFinished(() => void vi.unstubAllGlobals())
  const { hive, dir } = await outside()
  const id = await enqueue(hive, "dashboard", { do: "save_mem", content: "Tabs" })
  const { hivemind } = connectedAt(dir)
  await hivemind.onUserMessage({ session: "ses_1", agent: "build", text: "Go on" })
  // A slow disk lets the turn begin first.
  await expect.poll(() => outcomeOf(hive, id)).toMatchObject({ ok: true })
})

it("creates nothing in a project without a hive", async () => {
  const dir = await tempProject()
  const { hivemind } = connectedAt(dir)
  await hivemind.onUserMessage({ session: "ses_1", agent: "build", text: "Go on" })
  expect(statSync(hivePaths(dir).root, { throwIfNoEntry: false })).toBeUndefined()
})

async function outside() {
  const dir = await tempProject()
  const hive = await openProcess(dir)
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  return { hive, dir }
}
