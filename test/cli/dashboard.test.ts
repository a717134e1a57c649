import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { CLI } from "../support/mcp-client.ts"
import { cli, dropSandbox, makeSandbox, type Sandbox } from "./harness.ts"

let box: Sandbox
const started: ChildProcess[] = []
beforeEach(async () => {
  box = await makeSandbox()
  await cli(box, ["init", "--yes", "--plugin", "hivemind-opencode"])
})
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL")
  await dropSandbox(box)
})

describe("dashboard", () => {
  test("prints an address, is found by the next one, and ends with the process that started it", async () => {
    const first = dashboard(box.project)
    const { url, isNew } = await first.printed()
    expect(isNew).toBe(true)
    const { port } = new URL(url)
    expect((await fetch(url, { redirect: "manual" })).status).toBe(303)
    const state = join(box.home, ".local", "state", "hivemind", "dashboard.json")
    expect(statSync(state).mode & 0o777).toBe(0o600)

    const second = await dashboard(box.project).printed()
    expect(second).toMatchObject({ isNew: false })
    expect(new URL(second.url).port).toBe(port)

    first.child.stdin?.end()
    expect(await first.ended).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
    // One that was killed leaves its file, and the next begins anew.
    const killed = dashboard(box.project)
    await killed.printed()
    killed.child.kill("SIGKILL")
    await killed.ended
    expect(await dashboard(box.project).printed()).toMatchObject({ isNew: true })
  })

  test("tells the page whether OpenCode loads HiveMind in this folder", async () => {
    const { url } = await dashboard(box.project).printed()
    const entered = await fetch(url, { redirect: "manual" })
    const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
    const page = new URL(entered.headers.get("location") ?? "", url)
    const now = async () => {
      const headers = { cookie, "sec-fetch-site": "same-origin" }
      return (await fetch(new URL("api/now", page), { headers })).json()
    }
    expect(await now()).toMatchObject({ inactive: null })
    await cli(box, ["uninstall", "--yes"])
    expect(await now()).toMatchObject({ inactive: expect.stringContaining("Run `hivemind init` here") })
  })

  test("writes the page with its data as one file, in which stored text stays text", async () => {
    const hive = await openHive(box.project)
    const hostile = "</script><script>alert(1)</script><!-- <script>"
    await hive.memory.save({ content: `${hostile} Amounts are whole cents`, kind: "decision" })
    await hive.close()
    const { code, stdout } = await cli(box, ["dashboard", "--export", "state.html", "--json"])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, file: join(box.project, "state.html") })
    const page = readFileSync(join(box.project, "state.html"), "utf8")
    expect(page).toContain("Amounts are whole cents")
    expect(page.match(/<\/script>/g)).toHaveLength(2)
    expect(page).not.toContain("alert(1)</script>")
    const data = /id="snapshot">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? ""
    expect(JSON.parse(data)["/api/memory"].items[0].content).toContain(hostile)

    await cli(box, ["dashboard", "--export"])
    expect(readdirSync(join(box.project, ".hivemind", "artifacts", "dashboards"))).toHaveLength(1)
  })

  test("an export replaces an earlier one and no other file, unless it is told to, and only its owner can read it", async () => {
    const file = join(box.project, "package.json")
    writeFileSync(file, "{}")
    expect(await cli(box, ["dashboard", "--export", "package.json"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not an exported dashboard"),
    })
    expect(readFileSync(file, "utf8")).toBe("{}")
    for (const args of [["--force"], []])
      expect(await cli(box, ["dashboard", "--export", "package.json", ...args])).toMatchObject({ code: 0 })
    expect(readFileSync(file, "utf8")).toContain("HiveMind")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await cli(box, ["dashboard", "--export", ".", "--force"])).toMatchObject({ code: 4 })
  })

  test("a signal ends it though its input is still open", async () => {
    const { child, ended, printed } = dashboard(box.project)
    await printed()
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
  })

  test("an agent gets no address, by which it could change things as a person; it may write the page", async () => {
    const asAgent = (...args: string[]) =>
      cli(box, ["dashboard", ...args], box.project, { HIVEMIND_SESSION: "ses_1" })
    expect(await asAgent("--no-open")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("The dashboard needs a person."),
    })
    expect(await asAgent("--export")).toMatchObject({ code: 0 })
  })

  test("a port that is none or is taken is told, and so is one that the running dashboard does not have", async () => {
    const first = await dashboard(box.project).printed()
    const { port } = new URL(first.url)
    const elsewhere = { XDG_STATE_HOME: join(box.home, "elsewhere") }
    expect(await cli(box, ["dashboard", "--port", port], box.project, elsewhere)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Port ${port} is taken.`),
    })
    const other = port === "7337" ? "7338" : "7337"
    expect((await cli(box, ["dashboard", "--port", other])).stdout).toContain(
      `It has port ${port}; --port ${other} is for a new one.`,
    )
    expect((await cli(box, ["dashboard", "--port", port])).stdout).not.toContain("is for a new one")
    expect(await cli(box, ["dashboard", "--port", "many"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "argument 'many' is invalid. It must be a whole number from 0 to 65535.",
      ),
    })
  })
})

function dashboard(cwd: string) {
  const child = spawn(process.execPath, [CLI, "dashboard", "--json"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: box.home },
    stdio: "pipe",
  })
  started.push(child)
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text))
  return {
    child,
    ended: new Promise<number | null>((resolve) => child.once("exit", resolve)),
    async printed(): Promise<{ url: string; isNew: boolean }> {
      await expect.poll(() => printed).toMatch(/\}\s*$/)
      return JSON.parse(printed)
    },
  }
}
