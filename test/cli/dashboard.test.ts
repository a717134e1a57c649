import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { afterEach, expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { CLI } from "../support/mcp-client.ts"
import { cli, cliJson, projectFiles, useSandbox } from "./harness.ts"

const started: ChildProcess[] = []
const box = useSandbox(async (sandbox) => {
  await cli(sandbox, "init --yes --plugin hivemind-opencode")
  return {}
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL")
})
const { at, read, put } = projectFiles(box)

test("prints an address, another one for each line of input, and ends with the process that started it", async () => {
  const { child, printed, ended } = dashboard()
  const [first] = await printed(1)
  child.stdin?.write("\n")
  const [, second] = await printed(2)
  expect(second).not.toBe(first)
  for (const url of [first, second]) expect((await fetch(url ?? "", { redirect: "manual" })).status).toBe(303)
  child.stdin?.end()
  expect(await ended).toBe(0)
  await expect(fetch(first ?? "")).rejects.toThrow()
})

test("tells the page whether OpenCode loads HiveMind in this folder, and ends on a signal", async () => {
  const { child, ended, printed } = dashboard()
  const [url = ""] = await printed(1)
  const entered = await fetch(url, { redirect: "manual" })
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  const page = new URL(entered.headers.get("location") ?? "", url)
  const headers = { cookie, "sec-fetch-site": "same-origin" }
  const now = async () => (await fetch(new URL("api/now", page), { headers })).json()
  expect(await now()).toMatchObject({ inactive: null })
  await cli(box, "uninstall --yes")
  expect(await now()).toMatchObject({ inactive: expect.stringContaining("Run `hivemind init` here") })
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
})

test("exports the page with its data as one file, in which stored text is never markup", async () => {
  const hive = await openHive(box.project)
  const hostile = "</script><script>alert(1)</script><!-- <script>"
  await hive.memory.save({ content: `${hostile} Amounts are whole cents`, kind: "decision" })
  await hive.close()
  expect(await cliJson(box, "dashboard --export state.html")).toMatchObject({ file: at("state.html") })
  const page = read("state.html")
  expect(page.match(/<\/script>/g)).toHaveLength(2)
  expect(page).not.toContain("alert(1)</script>")
  const data = /id="snapshot">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? ""
  expect(JSON.parse(data)["/api/memory"].items[0].content).toContain(hostile)
  await cli(box, "dashboard --export")
  expect(readdirSync(at(".hivemind/artifacts/dashboards"))).toHaveLength(1)
})

test("an export replaces only an earlier export unless forced, and only its owner can read it", async () => {
  put("package.json", "{}")
  const refused = await cli(box, "dashboard --export package.json")
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is not an exported dashboard") })
  expect(read("package.json")).toBe("{}")
  for (const force of [" --force", ""])
    expect(await cli(box, `dashboard --export package.json${force}`)).toMatchObject({ code: 0 })
  expect(read("package.json")).toContain("HiveMind")
  expect(statSync(at("package.json")).mode & 0o777).toBe(0o600)
  expect(await cli(box, "dashboard --export . --force")).toMatchObject({ code: 4 })
})

test("an agent gets no address, by which it could change things as a person; it may export the page", async () => {
  const asAgent = (args: string) => cli(box, args, box.project, { HIVEMIND_SESSION: "ses_1" })
  const stderr = expect.stringContaining("The dashboard needs a person.")
  expect(await asAgent("dashboard --no-open")).toEqual({ code: 1, stdout: "", stderr })
  expect(await asAgent("dashboard --export")).toMatchObject({ code: 0 })
})

test("says why it cannot use a port", async () => {
  const [url = ""] = await dashboard().printed(1)
  const { port } = new URL(url)
  for (const [given, code, words] of [
    [port, 1, `Port ${port} is taken.`],
    ["many", 2, "argument 'many' is invalid. It must be a whole number from 0 to 65535."],
  ] as const) {
    const run = await cli(box, `dashboard --port ${given}`)
    expect(run).toMatchObject({ code, stderr: expect.stringContaining(words) })
  }
})

function dashboard() {
  const child = spawn(process.execPath, [CLI, "dashboard", "--json"], {
    cwd: box.project,
    env: { PATH: process.env["PATH"], HOME: box.home },
    stdio: "pipe",
  })
  started.push(child)
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text))
  return {
    child,
    ended: new Promise<number | null>((resolve) => child.once("exit", resolve)),
    async printed(count: number): Promise<string[]> {
      await expect.poll(() => printed.split("\n").length).toBe(count + 1)
      const lines = printed.trim().split("\n")
      return lines.map((line) => JSON.parse(line).url)
    },
  }
}
