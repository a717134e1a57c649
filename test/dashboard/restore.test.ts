import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, expect, it, onTestFinished } from "vitest"
import { serveDashboard } from "../../src/dashboard/serve.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { createLayout } from "../../src/store/files/layout.ts"
import { startBrowser } from "../support/browser.ts"
import { gitRepo } from "../support/git-repo.ts"
import { aroundCommand } from "../support/snapshots.ts"
import { tempProject } from "../support/temp-project.ts"

const browser = await startBrowser()
afterAll(() => browser?.close())

it.skipIf(browser === null)(
  browser === null
    ? "no Chromium can start here"
    : "a file that a script has deleted comes back with two clicks in the timeline, and the restore stands there",
  async () => {
    const project = gitRepo(await tempProject(), { "a.txt": "a\n", ".gitignore": ".hivemind/\n" })
    await createLayout(project)
    writeFileSync(join(project, "notes.md"), "mine\n")
    const options = { name: "a test", value: undefined }
    const { hive } = await openHiveIn(project, { source: systemSource, userConfig: null, options })
    await aroundCommand(project, "node -e 'fs.rmSync(`notes.md`); fs.writeFileSync(`a.txt`, `x`)'")
    writeFileSync(join(project, "a.txt"), "newer\n")
    const dashboard = await serveDashboard({
      ...{ hive, now: Date.now, onError: () => {} },
    })
    const page = await (browser as Browser).newPage({ viewport: { width: 1100, height: 800 } })
    page.setDefaultTimeout(PATIENCE_MS)
    onTestFinished(async () => {
      await page.close()
      await dashboard.close()
      await hive.store.close()
    })
    await page.goto(dashboard.invite().url)
    await page.locator(".is-live").waitFor()
    await page.getByRole("link", { name: "Timeline" }).click()
    await page.getByRole("button", { name: "Restore…" }).click()
    const form = page.getByRole("form", { name: "Restore" })
    await form.getByText("a.txt: it has changed since").waitFor()
    expect(existsSync(join(project, "notes.md"))).toBe(false)
    await form.getByRole("button", { name: "Restore", exact: true }).click()
    const changes = page.getByRole("region", { name: "Your changes" })
    await changes.getByText("1 file restored. 1 file that changed since kept. S2 undoes it.").waitFor()
    expect(readFileSync(join(project, "notes.md"), "utf8")).toBe("mine\n")
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("newer\n")
    await page.getByText("restored 1 file from S1; S2 undoes it").first().waitFor()
    await page.getByRole("link", { name: "Health" }).click()
    await page.getByText(/^2 snapshots, .*kept for 14 days, up to 1,?024 MB/).waitFor()
  },
)

const PATIENCE_MS = 20_000
