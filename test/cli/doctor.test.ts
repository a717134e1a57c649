import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, rm, symlink, utimes } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Check } from "../../src/cli/doctor/check.ts"
import { checkNode } from "../../src/cli/doctor/opencode-checks.ts"
import { type FakeOpencode, fakeOpencode } from "./fake-opencode.ts"
import { addMem, editHive, everyFile, fillProject, fold } from "./filled-project.ts"
import { cli, MAIN, projectFiles, TSX, useSandbox } from "./harness.ts"

const INIT = "init --yes --plugin hivemind-opencode"

const box = useSandbox(async (sandbox) => {
  await cli(sandbox, `${INIT} --team`)
  await fillProject(sandbox.project)
  return { env: await fakeOpencode(join(sandbox.root, "bin")) }
})
const { at, has, put } = projectFiles(box)
const doctor = (args: string) => cli(box, `doctor ${args}`, box.project, box.env)

async function checked(name: string, args = "--no-start"): Promise<Check & { code: number | null }> {
  const { code, stdout } = await doctor(`--json ${args}`)
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  const check = checks.find((each) => each.name === name)
  if (check === undefined) throw new Error(`no check ${name} in ${stdout}`)
  return { ...check, code }
}

describe("doctor", () => {
  test("finds a healthy project healthy, and writes nothing", async () => {
    await fold(box.project)
    await addMem(box.project, 30)
    const before = await everyFile(box.root)
    const { code, stdout, stderr } = await doctor("--no-start")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const lines = stdout.trimEnd().split("\n")
    expect(lines[0]).toMatch(/^HiveMind \d+\.\d+\.\d+ in \//)
    expect(lines.at(-1)).toBe("All is well.")
    expect(stdout).toContain(`ok       opencode        1.18.33 (${join(box.root, "bin", "opencode")})\n`)
    expect(stdout).toContain('ok       plugin entry    "hivemind-opencode" in ')
    expect(stdout).toContain("skipped  plugin loads    not tried (--no-start)\n")
    expect(stdout).toContain("ok       log             replaying the log gives the same graph\n")
    expect(stdout).not.toMatch(/^(warning|trouble)/m)
    expect(await everyFile(box.root)).toEqual(before)
    expect(JSON.parse((await doctor("--no-start --json")).stdout)).toMatchObject({
      ...{ status: "success", project: box.project, healthy: true },
      checks: expect.arrayContaining([{ name: "lock", level: "ok", found: ["free"], mend: null }]),
    })
  })

  test.each([
    ["v20.17.0", "ok"],
    ["v24.1.0", "ok"],
    ["v20.16.9", "trouble"],
    ["v18.20.0", "trouble"],
  ])("Node %s is %s", (version, level) => expect(checkNode(version).level).toBe(level))

  test("warns of a leftover lock and says which process takes it over, but not of a lock in use", async () => {
    put(".hivemind/graph/.lock", "")
    const inUse = { level: "ok", found: [expect.stringContaining("writing now")] }
    expect(await checked("lock")).toMatchObject(inUse)
    const fiveMinutesAgo = Date.now() / 1000 - 301
    await utimes(at(".hivemind/graph/.lock"), fiveMinutesAgo, fiveMinutesAgo)
    expect(await checked("lock")).toMatchObject({
      ...{ code: 0, level: "warning", found: ["left behind 5 min ago"] },
      mend: "Nothing to do: the next write takes over the lock.",
    })
    await fold(box.project)
    expect(await checked("lock")).toMatchObject({ level: "ok", found: ["free"] })
  })

  test("a newer format is trouble, a broken manifest a warning", async () => {
    put(".hivemind/system/manifest.json", '{"format": 99}')
    const newer = { code: 1, level: "trouble", mend: "Update hivemind-opencode." }
    expect(await checked("format")).toMatchObject(newer)
    put(".hivemind/system/manifest.json", "{")
    expect(await checked("format")).toMatchObject({ code: 0, level: "warning" })
  })

  test("names wrong options with their file, also those in the plugin's entry", async () => {
    put(".hivemind/system/config.json", '{"governance": "loud", "colour": 1}')
    put("opencode.json", JSON.stringify({ plugin: [["hivemind-opencode", { fold_after_kb: 1 }]] }))
    const { level, found } = await checked("options")
    expect(level).toBe("warning")
    expect(found).toEqual([
      expect.stringContaining("config.json: governance:"),
      expect.stringContaining('config.json: there is no option "colour"'),
      expect.stringMatching(/^the plugin's options in .*opencode\.json: fold_after_kb:/),
    ])
  })

  test("a log that should have been folded is a warning", async () => {
    put(".hivemind/system/config.json", '{"fold_after_kb": 16}')
    await addMem(box.project, 30)
    expect((await checked("log size")).level).toBe("ok")
    editHive(box.project, "graph/log/000001.jsonl", (text) => text + "\n".repeat(60_000))
    expect(await checked("log size")).toMatchObject({ code: 0, level: "warning" })
  })

  test("reports a file in place of a folder, and still runs the other checks", async () => {
    await rm(at(".hivemind/graph"), { recursive: true })
    put(".hivemind/graph", "")
    const found = [".hivemind/graph is a file where a folder belongs"]
    expect(await checked("folder")).toMatchObject({ code: 1, level: "trouble", found })
    expect((await checked("log size")).level).toBe("ok")
  })

  test("no OpenCode is trouble; a stub that does not run is named, and passed over for one that does; a new major version is a warning", async () => {
    box.env = { PATH: "" }
    expect(await checked("opencode")).toMatchObject({ level: "trouble", found: ["not found"] })
    const stub = at("node_modules/.bin/opencode")
    await fakeOpencode(at("node_modules/.bin"))
    put("node_modules/.bin/opencode", "#!/bin/sh\necho install scripts are blocked\nexit 1\n")
    expect(await checked("opencode")).toMatchObject({
      level: "trouble",
      found: ["not found", `${stub} is there, but does not run`],
      mend: expect.stringContaining("npm rebuild opencode-ai"),
    })
    const platform = join(box.root, "node_modules", `opencode-${process.platform}-${process.arch}`, "bin")
    await fakeOpencode(platform, { version: "1.20.0" })
    const found = [`1.20.0 (${join(platform, "opencode")})`, expect.stringContaining("does not run")]
    expect(await checked("opencode")).toMatchObject({ level: "warning", found })
    box.env = await fakeOpencode(join(box.root, "bin"), { version: "3.0.1" })
    expect(await checked("opencode")).toMatchObject({ code: 0, level: "warning" })
  })

  test("a plugin that no config names, two that do, and a config that is broken", async () => {
    await cli(box, `${INIT} --global`)
    const mend =
      "OpenCode's config names HiveMind more than once. To keep one entry, run `hivemind uninstall --global`."
    expect(await checked("plugin entry")).toMatchObject({ level: "warning", mend })
    await cli(box, "uninstall --yes --global")
    put("opencode.json", "{}")
    const none = { code: 1, level: "trouble", mend: "Run `hivemind init`." }
    expect(await checked("plugin entry")).toMatchObject(none)
    put("opencode.json", '{\n"plugin": [\n}')
    const { level, found } = await checked("plugin entry")
    expect([level, found.join("\n")]).toEqual([
      "trouble",
      expect.stringContaining(`${at("opencode.json")}:3`),
    ])
  })

  test.each(["0", "-1", "soon", "99999"])("--timeout %s is wrong usage", async (seconds) => {
    expect((await doctor(`--timeout ${seconds}`)).code).toBe(2)
  })
})

describe("doctor starts OpenCode", () => {
  const started = async (behaviour: FakeOpencode, timeout = 30) => {
    box.env = await fakeOpencode(join(box.root, "bin"), behaviour)
    const check = await checked("plugin loads", `--timeout ${timeout}`)
    expect(isAlive()).toBe(false)
    return check
  }
  const pid = () => Number(readFileSync(at("pid.txt"), "utf8"))
  // A zombie has ended, even if its parent has not read its exit code yet.
  const isAlive = () => /^[^Z]/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid())]).stdout.toString())

  test("and sees the plugin's tools, also where no config of ours explains them", async () => {
    put("opencode.json", "{}")
    const found = [expect.stringMatching(/^OpenCode started \(\d+ s\) and has 2 HiveMind tools$/)]
    const loaded = await started({ tools: ["bash", "hivemind_session", "hivemind_memory"] })
    expect(loaded).toMatchObject({ code: 0, level: "ok", found })
    expect(await checked("plugin entry", "--timeout 30")).toMatchObject({ level: "ok" })
  })

  test("shows OpenCode's own message about a plugin that did not load", async () => {
    const complaint = 'Failed to load plugin file:///x: Cannot find "dist/index.js"'
    expect(await started({ tools: ["bash"], complaint })).toMatchObject({
      ...{ code: 1, level: "trouble", found: ["OpenCode started without HiveMind's tools", complaint] },
      // The same name again would be fetched in vain again.
      mend: expect.stringMatching(/from the package registry.* init --plugin "\//),
    })
  })

  const data = { path: "/x/opencode.json", message: "bracket expected" }
  test.each<[string, FakeOpencode, number, string[]]>([
    [
      "what it refuses",
      { refusal: { name: "ConfigJsonError", data } },
      30,
      ["OpenCode cannot open this project", "/x/opencode.json: bracket expected"],
    ],
    [
      "why it ended",
      { exit: 7 },
      30,
      ["OpenCode did not start", "the program ended at once (7)\nno such option"],
    ],
    ["that it took too long", {}, 1, ["OpenCode did not answer within 1 s", ""]],
  ])("and says %s", async (_, behaviour, timeout, found) => {
    expect(await started(behaviour, timeout)).toMatchObject({ level: "trouble", found })
  })

  test("and leaves no process behind when it is interrupted", async () => {
    box.env = await fakeOpencode(join(box.root, "bin"), {})
    const child = spawn(process.execPath, ["--import", TSX, MAIN, "doctor"], {
      cwd: box.project,
      env: { ...box.env, HOME: box.home },
      stdio: "ignore",
    })
    await expect.poll(() => has("pid.txt") && isAlive()).toBe(true)
    child.kill("SIGTERM")
    await new Promise((resolve) => child.once("exit", resolve))
    await expect.poll(isAlive).toBe(false)
  })

  test.skipIf(!existsSync("/bin/sh"))("through a link on the PATH", async () => {
    await fakeOpencode(join(box.root, "real"), { tools: ["hivemind_session"] })
    await mkdir(join(box.root, "links"))
    await symlink(join(box.root, "real", "opencode"), join(box.root, "links", "opencode"))
    box.env = { PATH: join(box.root, "links") }
    expect((await checked("plugin loads", "--timeout 30")).level).toBe("ok")
  })
})
