import type { Browser } from "playwright-core"
import { expect, it } from "vitest"
import { startBrowser } from "../support/browser.ts"
import { openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"

const browser = await startBrowser()

it.skipIf(browser === null)(
  browser === null
    ? "no Chromium can start here"
    : "/hive-dashboard serves the page; what a person saves there is in the next request, and a change is shown without a reload",
  async () => {
    const opened = browser as Browser
    await using bed = await openBed({ hive: true })
    const session = await bed.newSession("work")
    // No model is asked: OpenCode reports that a hook has stopped the command.
    await expect(bed.command(session, "hive-dashboard")).rejects.toThrow()
    expect(bed.model.requests).toEqual([])
    const [url = ""] = /http:[^"\s]+/.exec(await bed.toast("Its address: ")) ?? []

    const page = await opened.newPage({ locale: "en-GB" })
    try {
      await page.goto(url)
      // The secret is no longer in the address.
      expect(page.url()).not.toContain("secret")
      await page.locator(".is-live").waitFor()
      await page.keyboard.press("g")
      await page.keyboard.press("m")
      await page.getByRole("button", { name: "Add a mem" }).click()
      await page.getByLabel("One thing worth knowing").fill("Invoices are numbered per year without gaps")
      await page.locator("form button[type=submit]").click()
      await page.locator(".mem-content", { hasText: "without gaps" }).waitFor()
    } finally {
      await opened.close()
    }
    await bed.prompt(session, "Why are invoices numbered per year?")
    expect(injectedTexts(bed.model.lastTurn()).join("\n")).toContain("without gaps")
    expect(bed.printed()).toBe("")
    // OpenCode's own program could run the server beside it; where it could not, the log says so.
    expect(await bed.pluginLog()).not.toContain("dashboard")
  },
)
