import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { fillProject } from "./filled-project.ts"
import { cli, cliJson, cliProcess, MAIN, shown, TSX, useSandbox } from "./harness.ts"

const box = useSandbox()

test.each([
  [["init", "--yse"], "Unknown option '--yse'.", "Did you mean --yes?"],
  [["int"], "Unknown command 'int'.", "Did you mean init?"],
  [["help", "inti"], "Unknown command 'inti'.", "Did you mean init?"],
  [["init", "extra"], "Too many arguments for 'init'. Expected 0 arguments but got 1.", "init --help"],
  [["init", "--dir"], "Option '--dir <folder>' argument missing.", "init --help"],
  [["init", "--dir", "nowhere"], "is not a folder.", "--dir"],
  [["--nonsense"], "Unknown option '--nonsense'.", "hivemind --help"],
  [["cost", "--sinc", "x"], "Unknown option '--sinc'.", "Did you mean --since?"],
  [["scan", "dirft"], "'dirft' is invalid", "Allowed choices are map, drift"],
])("%j is wrong usage, with and without --json", async (args, what, instead) => {
  const human = await cli(box, args)
  expect({ code: human.code, stdout: human.stdout }).toEqual({ code: 2, stdout: "" })
  for (const words of [what, instead]) expect(human.stderr).toContain(words)
  if (args.at(-1) === "--dir") return
  const program = await cli(box, [...args, "--json"])
  expect({ code: program.code, stderr: program.stderr }).toEqual({ code: 2, stderr: "" })
  expect(JSON.parse(program.stdout)).toMatchObject({ status: "error", code: "invalid_argument" })
})

test("--help has the commands in groups and the exit codes; a command's help names its options", async () => {
  const stdout = await shown(box, "--help")
  const order = [
    "\nSet up:",
    "  init ",
    "\nSee:",
    "  plans ",
    "\nRemember:",
    "  memory ",
    "\nShare:",
    "  sync ",
  ]
  const places = order.map((words) => stdout.indexOf(words))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(0)
  for (const part of ["uninstall", "Exit codes:", "2  wrong usage"]) expect(stdout).toContain(part)
  for (const hidden of ["  queue ", "  export ", "  refusals "]) expect(stdout).not.toContain(hidden)
  expect((await cli(box, [])).stdout).toBe(stdout)
  const help = await shown(box, "init --help")
  for (const option of ["--global", "--yes", "--json", "--dir", "--plugin"]) expect(help).toContain(option)
  expect(await shown(box, "help init")).toBe(help)
  expect((await cli(box, "cost --session x")).stderr).not.toContain("--version")
})

test.each(["status", "sessions --drift", "log", "undo abcd", "context pack", "doctor", "scan"])(
  "outside a project %s exits with 3 and makes no .hivemind/",
  async (args) => {
    const { code, stderr } = await cli(box, args)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("Run `hivemind init`") })
    expect([...readdirSync(box.project), ...readdirSync(box.home)]).toEqual([])
  },
)

test("finds the project from a folder inside it, or by `--dir`", async () => {
  await fillProject(box.project)
  mkdirSync(join(box.project, "src"))
  expect(await shown(box, "status", join(box.project, "src"))).toContain(`HiveMind in ${box.project}\n`)
  await shown(box, "status --dir src")
  await shown(box, `status --dir ${box.project}`, box.root)
})

test("the program itself: version, exit codes, no colours in a pipe", async () => {
  const version = await cliProcess(box, "--version")
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  const refused = await cliProcess(box, "init")
  expect(refused.code).toBe(2)
  expect(refused.stderr).not.toContain("\u001b")
  expect(await cliProcess(box, "init --yes --team --plugin x")).toMatchObject({ code: 0, stderr: "" })
  expect((await cliProcess(box, "uninstall --yes --purge --plugin x")).code).toBe(0)
  expect(readdirSync(box.project)).toEqual([])
})

test("a closed output pipe is not an error", async () => {
  const child = spawn(process.execPath, ["--import", TSX, MAIN, "--help"], {
    cwd: box.project,
    stdio: ["ignore", "pipe", "pipe"],
  })
  child.stdout.destroy()
  let stderr = ""
  child.stderr.on("data", (chunk) => (stderr += chunk))
  const code = await new Promise((resolve) => child.on("close", resolve))
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
})

test("in a deleted folder every command says so in a sentence; an absolute --dir still works", async () => {
  await fillProject(box.project)
  const gone = join(box.root, "gone")
  const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
  const run = (...args: string[]) => {
    mkdirSync(gone)
    const script = 'rmdir "$PWD"; exec "$0" "$@"'
    const env = { PATH: process.env["PATH"], HOME: box.home }
    const words = ["-c", script, process.execPath, main, ...args]
    return spawnSync("sh", words, { cwd: gone, env, encoding: "utf8" })
  }
  for (const name of ["status", "mcp", "init"]) {
    const { status, stderr } = run(name)
    expect([name, status, stderr]).toEqual([name, 3, expect.stringContaining("does not exist any more")])
    expect(stderr).not.toMatch(/\n\s+at /)
  }
  const named = run("plans", "--dir", box.project)
  expect(named).toMatchObject({ status: 0, stdout: expect.stringContaining("Login") })
})

test("init and uninstall ask before they write, for programs too", async () => {
  for (const args of ["init", "init --global"]) {
    const { code, stdout, stderr } = await cli(box, args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("do this instead: Pass `--yes`")
  }
  expect(readdirSync(box.project)).toEqual([])
  await cli(box, "init --yes --team --plugin hivemind-opencode")
  for (const args of ["uninstall", "uninstall --purge"])
    expect(await cliJson(box, args)).toMatchObject({
      code: "invalid_argument",
      use_instead: expect.stringContaining("Pass `--yes`"),
    })
  for (const kept of ["opencode.json", ".hivemind/graph"])
    expect(existsSync(join(box.project, kept))).toBe(true)
})
