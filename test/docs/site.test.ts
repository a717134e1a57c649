import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openHive } from "../../src/api.ts"
import { readCommands } from "../../src/cli/completion.ts"
import { MCP_CLIENTS } from "../../src/cli/install/mcp-clients.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { tools } from "../../src/tools/index.ts"
import { startBrowser } from "../support/browser.ts"
import { tempProject } from "../support/temp-project.ts"

const root = join(import.meta.dirname, "..", "..")
const site = mkdtempSync(join(tmpdir(), "hivemind-site-"))
const read = (page: string) => readFileSync(join(site, page), "utf8")
const pages = () =>
  readdirSync(site, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".html") && !name.startsWith("files/"))

beforeAll(() => {
  execFileSync(process.execPath, [join(root, "scripts", "docs", "build.mjs"), site])
})
afterAll(() => rmSync(site, { recursive: true, force: true }))

it("no page of the site links to a missing page, file or heading", () => {
  const idsIn = (page: string) => new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id))
  const ids = new Map(pages().map((page) => [page, idsIn(page)]))
  const dead = pages().flatMap((page) =>
    [...read(page).matchAll(/ (?:href|src)="([^"]*)"/g)]
      .map(([, link = ""]) => link)
      .filter((link) => {
        if (/^https?:/.test(link)) return false
        const { pathname, hash } = new URL(link, `http://x/${page}`)
        const target = decodeURIComponent(pathname.slice(1)) || "index.html"
        if (!existsSync(join(site, target))) return true
        return hash !== "" && ids.get(target)?.has(decodeURIComponent(hash.slice(1))) === false
      })
      .map((link) => `${page}: ${link}`),
  )
  expect(pages().length).toBeGreaterThan(60)
  expect(dead).toEqual([])
})

it("every page of docs/ is in the menu", () => {
  const menu = read("index.html")
  const sources = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"))
  const outputs = sources.map((name) => name.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"))
  expect(outputs.filter((output) => !menu.includes(`href="${output}"`))).toEqual([])
})

it("the reference has every command with its options, every tool with its arguments, every option, every call", async () => {
  const commands = read("reference/commands.html")
  for (const { name, command } of await readCommands()) {
    const part = partOf(commands, `hivemind ${name}`)
    for (const { flags } of command.options) expect(part, name).toContain(escaped(flags))
  }
  const toolPage = read("reference/tools.html")
  for (const tool of tools) {
    const part = partOf(toolPage, tool.name)
    for (const name of Object.keys(tool.args)) expect(part, tool.name).toContain(`<code>${name}</code>`)
  }
  const options = read("reference/configuration.html")
  for (const [name, value] of Object.entries(defaultConfig)) {
    const isGroup = ["detection", "research", "snapshots"].includes(name)
    const names = isGroup ? Object.keys(value as object).map((inner) => `${name}.${inner}`) : [name]
    for (const each of names) expect(options).toContain(`<code>${each}</code>`)
  }
  const api = read("reference/api.html")
  await using hive = await openForNames()
  for (const name of hive.names) expect(api).toContain(`<code>${name}(`)
})

it("each host has a page that says how it is set up", () => {
  for (const { name, file, title } of MCP_CLIENTS) {
    const page = read(`hosts/${name}.html`)
    expect(page).toContain(`<h1 id="${title.toLowerCase().replaceAll(" ", "-")}">${title}</h1>`)
    expect(page).toContain(`hivemind init --mcp ${name}`)
    expect(page).toContain(file)
  }
  expect(read("hosts/opencode.html")).toContain("hivemind init")
})

const browser = await startBrowser()
afterAll(() => browser?.close())

it.skipIf(browser === null)(
  "in a browser the search finds a page, and no page is wider than a phone",
  async () => {
    const page = await browser?.newPage({ viewport: { width: 390, height: 800 } })
    if (page === undefined) return
    const errors: string[] = []
    page.on("pageerror", (error) => errors.push(error.message))
    const address = (name: string) => pathToFileURL(join(site, name)).href
    for (const name of ["index.html", "concepts.html", "reference/commands.html", "project/context.html"]) {
      await page.goto(address(name))
      const tooWide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
      expect(tooWide, name).toBeLessThanOrEqual(0)
    }
    await page.keyboard.press("/")
    await page.keyboard.type("resolve conflict")
    const results = page.getByRole("link", { name: /sync conflicts/ })
    await results.first().click()
    expect(page.url()).toBe(`${address("reference/commands.html")}#hivemind-sync-conflicts`)
    expect(await page.isVisible("#pages")).toBe(false)
    await page.click("#menu")
    await page.getByRole("link", { name: "Recipes" }).click()
    expect(await page.textContent("h1")).toBe("Recipes")
    expect(errors).toEqual([])
    await page.close()
  },
)

function partOf(page: string, title: string): string {
  const start = page.indexOf(`>${title}</h2>`)
  expect(start, title).toBeGreaterThan(0)
  const end = page.indexOf("<h2", start)
  return page.slice(start, end < 0 ? undefined : end)
}

const escaped = (text: string): string => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** `memory.save`, `pack`: all that can be called. */
async function openForNames() {
  const hive = await openHive(await tempProject())
  const names = Object.entries(hive).flatMap(([name, value]) => {
    if (typeof value === "function") return [name]
    return Object.entries(value ?? {}).flatMap(([inner, each]) =>
      typeof each === "function" ? [`${name}.${inner}`] : [],
    )
  })
  return { names, [Symbol.asyncDispose]: () => hive.close() }
}
