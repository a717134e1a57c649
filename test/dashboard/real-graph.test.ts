import type { Browser } from "playwright-core"
import { afterAll, expect, it, onTestFinished } from "vitest"
import { serveDashboard } from "../../src/dashboard/serve.ts"
import { notePressure } from "../../src/graph/pressure.ts"
import { headIdOf } from "../../src/graph/read-head.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { startBrowser } from "../support/browser.ts"
import { fileHive } from "../support/file-hive.ts"
import { aConflict, aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { callTool } from "../tools/call-tool.ts"

const browser = await startBrowser()
afterAll(() => browser?.close())

// The other tests of the page have a story told to it; here nothing stands between it and the records on disk.
it.skipIf(browser === null)(
  browser === null
    ? "no Chromium can start here"
    : "every view shows a real graph, and what a person changes in it is written",
  async () => {
    const hive = await filledHive()
    const failed: unknown[] = []
    const dashboard = await serveDashboard({
      now: Date.now,
      hive,
      onError: (error) => failed.push(error),
    })
    const page = await (browser as Browser).newPage({ locale: "en-GB" })
    page.setDefaultTimeout(15_000)
    page.on("pageerror", (error) => failed.push(error))
    page.on("console", (message) => message.type() === "error" && failed.push(message.text()))
    onTestFinished(async () => {
      await page.close()
      await dashboard.close()
      await hive.store.close()
    })
    const main = page.locator("main")
    const view = async (name: string, ...words: string[]) => {
      await page.goto(`${page.url().split("#")[0]}#/${name}`)
      for (const each of words) await main.getByText(each).first().waitFor()
    }

    await page.goto(dashboard.invite().url)
    await page.locator(".is-live").waitFor()
    await view(
      "now",
      "Give out tokens",
      "Tokens",
      "Sign them",
      "RS256 or HS256?",
      "72%",
      "1 conflict to settle",
    )
    await view("plans", "Sign them", "Check them", "Rotate keys")
    await view("memory", "Port 8080")
    expect(await main.getByText("Port 80", { exact: true }).count()).toBe(0)
    await view("timeline", "Learned: Port 8080")
    await view("context", "No model was sent anything yet")
    await view("health", "Rotate keys")

    await view("plans", "Sign them")
    await page.getByRole("button", { name: /^Sign them/ }).click()
    const sheet = page.getByRole("dialog", { name: "Sign them" })
    await sheet.getByRole("button", { name: "Block…" }).click()
    const form = page.getByRole("form", { name: "Block" })
    await form.getByRole("textbox").fill("The key is not here yet")
    await page.keyboard.press("Enter")
    await expect
      .poll(() => hive.store.read().state.task.get(uuid(105))?.held_back)
      .toBe("The key is not here yet")
    await sheet.getByText("The key is not here yet").first().waitFor()
    expect(failed).toEqual([])
  },
)

async function filledHive() {
  const hive = await fileHive()
  await callTool(hive, "session", { action: "start", intent: "Give out tokens" })
  await hive.store.write(by, (tx) => {
    tx.putBack()
    tx.add("plan", aPlan(101, { title: "Tokens" }))
    tx.add("phase", aPhase(102, 101, { title: "Signing" }))
    tx.add("mem", aMem(107, { content: "RS256 or HS256?", kind: "decision", resolved: false }))
    tx.add(
      "task",
      aTask(105, 101, 102, { title: "Sign them", status: "active", assigned_session_id: "ses_1" }),
    )
    tx.add("task", aTask(106, 101, 102, { title: "Check them", status: "blocked", decisions: [uuid(107)] }))
    const ended = { status: "failed", reason: "it broke" } as const
    tx.add("task", aTask(103, 101, 102, { title: "Rotate keys", ...ended }))
    tx.set("trajectory", headIdOf("ses_1"), { active_plan_id: uuid(101), active_phase_id: uuid(102) })
    tx.add("conflict", aConflict(109, { record_id: uuid(103) }))
    const counts = { input: 0, cache_write: 0, output: 0, reasoning: 0 }
    notePressure(tx, "ses_1", { ...counts, cache_read: 72_000 }, 100_000)
  })
  const caller = { tool: "test", session: "ses_1", agent: null }
  const { id } = await saveMem(hive, caller, { content: "Port 80" })
  await saveMem(hive, caller, { content: "Port 8080", supersedes: id })
  return hive
}
