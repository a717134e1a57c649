import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { exportedPage } from "../../src/dashboard/export-page.ts"
import { serveDashboard } from "../../src/dashboard/serve.ts"
import { notePressure } from "../../src/graph/pressure.ts"
import { headIdOf } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { createLayout } from "../../src/store/files/layout.ts"
import { startBrowser } from "../support/browser.ts"
import { fileHive } from "../support/file-hive.ts"
import { gitRepo } from "../support/git-repo.ts"
import { aConflict, aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { aroundCommand } from "../support/snapshots.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "../tools/call-tool.ts"
import { OPEN } from "./served.ts"

const browser = await startBrowser()
const CALLER = { tool: "test", session: "ses_1", agent: null }

// The tests of the page have a story told to it; here nothing stands between it and the records on disk.
describe.skipIf(browser === null)(browser === null ? "no Chromium can start here" : "in a browser", () => {
  afterAll(() => browser?.close())

  async function dashboardOf(hive: Hive) {
    const failed: unknown[] = []
    const onError = (error: unknown) => failed.push(error)
    const dashboard = await serveDashboard({ now: Date.now, hive, onError })
    const page = await (browser as Browser).newPage({
      locale: "en-GB",
      viewport: { width: 1100, height: 800 },
    })
    page.setDefaultTimeout(20_000)
    page.on("pageerror", onError)
    page.on("console", (message) => message.type() === "error" && failed.push(message.text()))
    onTestFinished(async () => {
      await page.close()
      await dashboard.close()
    })
    return { dashboard, page, failed, live: () => page.locator(".is-live").waitFor() }
  }

  it("every view shows a real graph, and a person's changes are written", async () => {
    const hive = await filledHive()
    const { dashboard, page, failed, live } = await dashboardOf(hive)
    const main = page.locator("main")
    const view = async (name: string, ...words: string[]) => {
      await page.goto(`${page.url().split("#")[0]}#/${name}`)
      for (const each of words) await main.getByText(each).first().waitFor()
    }

    await page.goto(dashboard.invite().url)
    await live()
    await view("now", "Give out tokens", "Tokens", "Sign them", "RS256 or HS256?", "72%")
    await view("now", "1 conflict to settle")
    await view("plans", "Sign them", "Check them", "Rotate keys")
    await view("memory", "Port 8080")
    expect(await main.getByText("Port 80", { exact: true }).count()).toBe(0)
    await view("timeline", "Learned: Port 8080")
    await view("context", "Nothing has been sent to a model yet")
    await view("health", "Rotate keys")

    await view("plans", "Sign them")
    await page.getByRole("button", { name: /^Sign them/ }).click()
    const sheet = page.getByRole("dialog", { name: "Sign them" })
    await sheet.getByRole("button", { name: "Block…" }).click()
    await page.getByRole("form", { name: "Block" }).getByRole("textbox").fill("The key is not here yet")
    await page.keyboard.press("Enter")
    const heldBack = () => hive.store.read().state.task.get(uuid(105))?.held_back
    await expect.poll(heldBack).toBe("The key is not here yet")
    await sheet.getByText("The key is not here yet").first().waitFor()
    expect(failed).toEqual([])
  })

  it("a file that a script has deleted comes back with two clicks in the timeline", async () => {
    const project = gitRepo(await tempProject(), { "a.txt": "a\n", ".gitignore": ".hivemind/\n" })
    const file = (name: string) => join(project, name)
    writeFileSync(file("notes.md"), "mine\n")
    await createLayout(project)
    const { hive } = await openHiveIn(project, OPEN)
    onTestFinished(() => hive.store.close())
    const { dashboard, page } = await dashboardOf(hive)
    await aroundCommand(project, "node -e 'fs.rmSync(`notes.md`); fs.writeFileSync(`a.txt`, `x`)'")
    writeFileSync(file("a.txt"), "newer\n")
    await page.goto(dashboard.invite().url)
    await page.getByRole("link", { name: "Timeline" }).click()
    await page.getByRole("button", { name: "Restore…" }).click()
    const form = page.getByRole("form", { name: "Restore" })
    await form.getByText("a.txt: the file has changed since").waitFor()
    expect(existsSync(file("notes.md"))).toBe(false)
    await form.getByRole("button", { name: "Restore", exact: true }).click()
    const changes = page.getByRole("region", { name: "Your changes" })
    await changes.getByText("1 file restored. Kept 1 file that changed later. S2 undoes it.").waitFor()
    expect(readFileSync(file("notes.md"), "utf8")).toBe("mine\n")
    expect(readFileSync(file("a.txt"), "utf8")).toBe("newer\n")
    await page.getByText("restored 1 file from S1; S2 undoes it").first().waitFor()
    await page.getByRole("link", { name: "Health" }).click()
    await page.getByText(/^2 snapshots, .*kept for 14 days, up to 1,?024 MB/).waitFor()
  })

  it("another server of this machine gets no cookie of the page, and one that it sets locks no user out", async () => {
    const { dashboard, page, live } = await dashboardOf(await fileHive())
    const cookies: (string | undefined)[] = []
    const { url } = dashboard.invite()
    const other = createServer((request, response) => {
      cookies.push(request.headers.cookie)
      response.setHeader("set-cookie", `hivemind-${dashboard.port}=x; Path=/`)
      response.setHeader("content-type", "text/html").end(`<a href="${url}">open</a>`)
    })
    await once(other.listen(0, "127.0.0.1"), "listening")
    onTestFinished(() => other.close().closeAllConnections())
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    // As from a page with a terminal in it.
    await page.goto(elsewhere)
    await page.getByRole("link").click()
    await live()
    const { href } = new URL(page.url())
    expect(href).not.toContain("secret")
    await page.goto(elsewhere)
    const sent = cookies.filter((cookie) => cookie?.includes("hivemind-"))
    expect(sent).toEqual([`hivemind-${dashboard.port}=x`])
    await page.goto(href)
    await live()
  })

  it("an exported file has a content security policy that allows only its own script", async () => {
    const hive = await filledHive()
    const file = join(hive.dir, "state.html")
    const text = await exportedPage(hive)
    writeFileSync(file, text.replace("</body>", "<script>document.title = 'ran'</script></body>"))
    const { page, failed } = await dashboardOf(hive)
    await page.goto(`${pathToFileURL(file).href}#/memory`)
    await page.getByText("Port 8080").first().waitFor()
    expect(await page.title()).not.toBe("ran")
    expect(failed).toEqual([expect.stringContaining("Content Security Policy")])
  })
})

async function filledHive() {
  const hive = await fileHive()
  await callTool(hive, "session", { action: "start", intent: "Give out tokens" })
  await hive.store.write(by, (tx) => {
    tx.putBack()
    tx.add("plan", aPlan(101, { title: "Tokens" }))
    tx.add("phase", aPhase(102, 101, { title: "Signing" }))
    tx.add("mem", aMem(107, { content: "RS256 or HS256?", kind: "decision", resolved: false }))
    const atWork = { status: "active", assigned_session_id: "ses_1" } as const
    tx.add("task", aTask(105, 101, 102, { title: "Sign them", ...atWork }))
    tx.add("task", aTask(106, 101, 102, { title: "Check them", status: "blocked", decisions: [uuid(107)] }))
    const ended = { status: "failed", reason: "it broke" } as const
    tx.add("task", aTask(103, 101, 102, { title: "Rotate keys", ...ended }))
    tx.set("trajectory", headIdOf("ses_1"), { active_plan_id: uuid(101), active_phase_id: uuid(102) })
    tx.add("conflict", aConflict(109, { record_id: uuid(103) }))
    const counts = { input: 0, cache_write: 0, output: 0, reasoning: 0 }
    notePressure(tx, "ses_1", { ...counts, cache_read: 72_000 }, 100_000)
  })
  const { id } = await saveMem(hive, CALLER, { content: "Port 80" })
  await saveMem(hive, CALLER, { content: "Port 8080", supersedes: id })
  return hive
}
