// Takes a picture of each view of the dashboard, light and dark, into docs/images/dashboard. Run with tsx.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { storyAnswers } from "../test/dashboard/page-answers.ts"
import { servePage } from "../test/dashboard/page-server.ts"
import * as story from "../test/dashboard/page-story.ts"
import { startBrowser } from "../test/support/browser.ts"
import { smallPng } from "./small-png.mjs"

const into =
  process.argv[2] ?? join(fileURLToPath(new URL("..", import.meta.url)), "docs", "images", "dashboard")
mkdirSync(into, { recursive: true })
const server = await servePage(storyAnswers({ planView: story.planView, mems: story.mems }))
const browser = await startBrowser()
const active = story.tasks[3].id
const PICTURES = [
  ["now", "#/now"],
  ["plans", "#/plans"],
  ["graph", "#/plans?as=graph"],
  ["task", `#/plans?open=task:${active}`],
  ["memory", "#/memory?q=sessions"],
  ["mem", `#/memory?open=mem:${story.mems[0].id}`],
  ["timeline", "#/timeline"],
  ["context", "#/context"],
  ["health", "#/health"],
]
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ locale: "en-GB", colorScheme, viewport: { width: 1280, height: 800 } })
  page.on("pageerror", (error) => console.error(error))
  page.on("console", (message) => message.type() === "error" && console.error(message.text()))
  for (const [name, hash] of PICTURES) {
    await page.goto(`${server.url}${hash}`)
    await page.reload()
    await settled(page)
    writeFileSync(join(into, `${name}-${colorScheme}.png`), smallPng(await page.screenshot()))
  }
  await page.close()
}
const phone = await browser.newPage({
  locale: "en-GB",
  colorScheme: "light",
  viewport: { width: 360, height: 740 },
})
for (const name of ["now", "plans", "context"]) {
  await phone.goto(`${server.url}#/${name}`)
  await phone.reload()
  await settled(phone)
  writeFileSync(join(into, `phone-${name}.png`), smallPng(await phone.screenshot()))
}
await browser.close()
await server.close()

async function settled(page) {
  await page.locator(".is-live").waitFor()
  for (const each of await page.locator(".loading").all()) await each.waitFor({ state: "detached" })
  await page.waitForTimeout(300)
}
