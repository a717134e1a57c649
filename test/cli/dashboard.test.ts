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
  test("prints an address, another one for each line of input, and ends with the process that started it", async () => {
    const { child, printed, ended } = dashboard(box.project)
    const [first] = await printed(1)
    child.stdin?.write("\n")
    const [, second] = await printed(2)
    expect(second).not.toBe(first)
    for (const url of [first, second])
      expect((await fetch(url ?? "", { redirect: "manual" })).status).toBe(303)
    child.stdin?.end()
    expect(await ended).toBe(0)
    await expect(fetch(first ?? "")).rejects.toThrow()
  })

  test("tells the page whether OpenCode loads HiveMind in this folder", async () => {
    const [url = ""] = await dashboard(box.project).printed(1)
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
    expect(page.match(/<\/script>/g)).toHaveLength(2)
    expect(page).not.toContain("alert(1)</script>")
    const data = /id="snapshot">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? ""
    expect(JSON.parse(data)["/api/memory"].items[0].content).toContain(hostile)

    await cli(box, ["dashboard", "--export"])
    expect(readdirSync(join(box.project, ".hivemind", "artifacts", "dashboards"))).toHaveLength(1)
  })

  test("an export replaces an earlier one and no other file unless told to, and only its owner can read it", async () => {
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
    await printed(1)
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
  })

  test("an agent gets no address, by which it could change things as a person; it may export the page", async () => {
    expect(
      await cli(box, ["dashboard", "--no-open"], box.project, { HIVEMIND_SESSION: "ses_1" }),
    ).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("The dashboard needs a person."),
    })
    const exporting = await cli(box, ["dashboard", "--export"], box.project, { HIVEMIND_SESSION: "ses_1" })
    expect(exporting).toMatchObject({ code: 0 })
  })

  test("says why it cannot use a port", async () => {
    const [url = ""] = await dashboard(box.project).printed(1)
    const { port } = new URL(url)
    expect(await cli(box, ["dashboard", "--port", port])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Port ${port} is taken.`),
    })
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
    /** The addresses that it has printed, once there are so many. */
    async printed(count: number): Promise<string[]> {
      await expect.poll(() => printed.split("\n").length).toBe(count + 1)
      return printed
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).url)
    },
  }
}
