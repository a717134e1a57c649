import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser } from "playwright-core"
import { afterAll, expect, it, onTestFinished } from "vitest"
import { serveDashboard } from "../../src/dashboard/serve.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { createLayout } from "../../src/store/files/layout.ts"
import { startBrowser } from "../support/browser.ts"
import { tempProject } from "../support/temp-project.ts"

const browser = await startBrowser()
afterAll(() => browser?.close())

it.skipIf(browser === null)(
  browser === null
    ? "no Chromium can start here"
    : "another server of this machine gets no cookie of the page, and one that it sets locks no user out",
  async () => {
    const project = await tempProject()
    await createLayout(project)
    const options = { name: "a test", value: undefined }
    const { hive } = await openHiveIn(project, { source: systemSource, userConfig: null, options })
    const dashboard = await serveDashboard({
      now: Date.now,
      hive,
      onError: () => {},
    })
    const { url } = dashboard.invite()
    const cookies: (string | undefined)[] = []
    const other = createServer((request, response) => {
      cookies.push(request.headers.cookie)
      response.setHeader("set-cookie", `hivemind-${dashboard.port}=x; Path=/`)
      response.setHeader("content-type", "text/html").end(`<a href="${url}">open</a>`)
    })
    await once(other.listen(0, "127.0.0.1"), "listening")
    const page = await (browser as Browser).newPage()
    onTestFinished(async () => {
      await page.close()
      other.close().closeAllConnections()
      await dashboard.close()
      await hive.store.close()
    })
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    // As from a page with a terminal in it.
    await page.goto(elsewhere)
    await page.getByRole("link").click()
    await page.locator(".is-live").waitFor()
    const { href } = new URL(page.url())
    expect(href).not.toContain("secret")
    await page.goto(elsewhere)
    expect(cookies.filter((cookie) => cookie?.includes("hivemind-"))).toEqual([
      `hivemind-${dashboard.port}=x`,
    ])
    await page.goto(href)
    await page.locator(".is-live").waitFor()
  },
)
