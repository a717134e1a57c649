import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, rm, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import type { Check } from "../../src/cli/doctor/check.ts"
import { checkNode } from "../../src/cli/doctor/opencode-checks.ts"
import { partFile } from "../support/parts.ts"
import { aMem } from "../support/records.ts"
import { type FakeOpencode, fakeOpencode } from "./fake-opencode.ts"
import { editHive, everyFile, fillProject, withStore } from "./filled-project.ts"
import { cli, MAIN, TSX, useSandbox } from "./harness.ts"

const box = useSandbox()
let env: { PATH: string }
beforeEach(async () => {
  env = await fakeOpencode(join(box.root, "bin"))
  await cli(box, ["init", "--yes", "--team", "--plugin", "hivemind-opencode"])
  await fillProject(box.project)
})

const doctor = (...args: string[]) => cli(box, ["doctor", ...args], box.project, env)
const hive = (path: string) => join(box.project, ".hivemind", path)
const fold = () => withStore(box.project, (store) => store.fold())

async function checked(name: string, ...args: string[]): Promise<Check & { code: number | null }> {
  const { code, stdout } = await doctor("--json", ...(args.length === 0 ? ["--no-start"] : args))
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  const check = checks.find((each) => each.name === name)
  if (check === undefined) throw new Error(`no check ${name} in ${stdout}`)
  return { ...check, code }
}

describe("doctor", () => {
  test("finds a healthy project healthy, and writes nothing", async () => {
    await fold()
    const before = await everyFile(box.root)
    const { code, stdout, stderr } = await doctor("--no-start")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const lines = stdout.trimEnd().split("\n")
    expect(lines[0]).toMatch(/^HiveMind \d+\.\d+\.\d+ in \//)
    expect(lines.at(-1)).toBe("All is well.")
    expect(stdout).toContain(`ok       opencode        1.18.33 (${join(box.root, "bin", "opencode")})\n`)
    expect(stdout).toContain('ok       plugin entry    "hivemind-opencode" in ')
    expect(stdout).toContain("skipped  plugin loads    not tried (--no-start)\n")
    expect(stdout).toContain("ok       log             replayed: it makes the same graph\n")
    expect(stdout).not.toMatch(/^(warning|trouble)/m)
    expect(await everyFile(box.root)).toEqual(before)
    expect(JSON.parse((await doctor("--no-start", "--json")).stdout)).toMatchObject({
      status: "success",
      project: box.project,
      healthy: true,
      checks: expect.arrayContaining([{ name: "lock", level: "ok", found: ["free"], mend: null }]),
    })
  })

  test.each([
    ["v20.17.0", "ok"],
    ["v24.1.0", "ok"],
    ["v20.16.9", "trouble"],
    ["v18.20.0", "trouble"],
  ])("Node %s is %s", (version, level) => expect(checkNode(version).level).toBe(level))

  test("a damaged file is trouble, and a warning once a fold has set it aside", async () => {
    await fold()
    editHive(box.project, partFile(box.project, "mems"), (text) =>
      text.replace('"content":"Use jose"', '"content":"Use jose'),
    )
    const { code, stdout } = await doctor("--no-start")
    expect(code).toBe(1)
    expect(stdout).toMatch(/^trouble {2}files {11}1 part could not be used; the rest is in use$/m)
    expect(stdout).toMatch(/^ +\.hivemind\/graph\/parts\/mems[\w.-]+:2:\d+: the file was changed since/m)
    expect(stdout).toContain("1 trouble. The arrows say what to do.")
    await fold()
    expect(await checked("broken copies")).toMatchObject({
      code: 0,
      level: "warning",
      found: [expect.stringMatching(/^\.hivemind\/graph\/parts\/mems[\w.-]+\.json\.broken-\d{12}$/)],
    })
    expect((await checked("files")).level).toBe("ok")
  })

  test("a lock that was left behind is a warning that says who takes it over; one in use is none", async () => {
    await writeFile(hive("graph/.lock"), "")
    expect(await checked("lock")).toMatchObject({
      level: "ok",
      found: [expect.stringContaining("writing now")],
    })
    const fiveMinutesAgo = Date.now() / 1000 - 301
    await utimes(hive("graph/.lock"), fiveMinutesAgo, fiveMinutesAgo)
    expect(await checked("lock")).toMatchObject({
      code: 0,
      level: "warning",
      found: ["left behind 5 min ago"],
      mend: "Nothing to do: the next write takes it over by itself.",
    })
    await fold()
    expect(await checked("lock")).toMatchObject({ level: "ok", found: ["free"] })
  })

  test("a newer format is trouble, a broken manifest a warning", async () => {
    await writeFile(hive("system/manifest.json"), '{"format": 99}')
    expect(await checked("format")).toMatchObject({
      code: 1,
      level: "trouble",
      mend: "Update hivemind-opencode.",
    })
    await writeFile(hive("system/manifest.json"), "{")
    expect(await checked("format")).toMatchObject({ code: 0, level: "warning" })
  })

  test("wrong options are named with their file, also those beside the plugin's entry", async () => {
    await writeFile(hive("system/config.json"), '{"governance": "loud", "colour": 1}')
    const entry = ["hivemind-opencode", { fold_after_kb: 1 }]
    await writeFile(join(box.project, "opencode.json"), JSON.stringify({ plugin: [entry] }))
    const { level, found } = await checked("options")
    expect(level).toBe("warning")
    expect(found).toEqual([
      expect.stringContaining("config.json: governance:"),
      expect.stringContaining('config.json: there is no option "colour"'),
      expect.stringMatching(/^the plugin's options in .*opencode\.json: fold_after_kb:/),
    ])
  })

  test("a log that should have been folded is a warning", async () => {
    await writeFile(hive("system/config.json"), '{"fold_after_kb": 16}')
    await withStore(box.project, (store) =>
      store.append({ tool: "test", session: null, agent: null }, (tx) => tx.add("mem", aMem(30))),
    )
    expect((await checked("log size")).level).toBe("ok")
    editHive(box.project, "graph/log/000001.jsonl", (text) => text + "\n".repeat(60_000))
    expect(await checked("log size")).toMatchObject({ code: 0, level: "warning" })
  })

  test("a file in place of a folder is trouble, and ends none of the other checks", async () => {
    await rm(hive("graph"), { recursive: true })
    await writeFile(hive("graph"), "")
    expect(await checked("folder")).toMatchObject({
      code: 1,
      level: "trouble",
      found: [".hivemind/graph is a file where a folder belongs"],
    })
    expect((await checked("log size")).level).toBe("ok")
  })

  test("no OpenCode is trouble; a stub that does not run is named, and passed over for one that does", async () => {
    env = { PATH: "" }
    expect(await checked("opencode")).toMatchObject({ level: "trouble", found: ["not found"] })
    const bin = join(box.project, "node_modules", ".bin")
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, "opencode"), "#!/bin/sh\necho install scripts are blocked\nexit 1\n", {
      mode: 0o755,
    })
    expect(await checked("opencode")).toMatchObject({
      level: "trouble",
      found: ["not found", `${join(bin, "opencode")} is there, but does not run`],
      mend: expect.stringContaining("npm rebuild opencode-ai"),
    })
    const platform = join(box.root, "node_modules", `opencode-${process.platform}-${process.arch}`, "bin")
    await fakeOpencode(platform, { version: "1.20.0" })
    expect(await checked("opencode")).toMatchObject({
      level: "warning",
      found: [`1.20.0 (${join(platform, "opencode")})`, expect.stringContaining("does not run")],
    })
  })

  test("an OpenCode of another major version is a warning", async () => {
    env = await fakeOpencode(join(box.root, "bin"), { version: "3.0.1" })
    expect(await checked("opencode")).toMatchObject({ code: 0, level: "warning" })
  })

  test("a plugin that no config names, two that do, and a config that is broken", async () => {
    await cli(box, ["init", "--yes", "--global", "--plugin", "hivemind-opencode"])
    expect(await checked("plugin entry")).toMatchObject({
      level: "warning",
      mend: "One is enough: `hivemind uninstall --global`.",
    })
    await cli(box, ["uninstall", "--yes", "--global"])
    await writeFile(join(box.project, "opencode.json"), "{}")
    expect(await checked("plugin entry")).toMatchObject({
      code: 1,
      level: "trouble",
      mend: "Run `hivemind init`.",
    })
    await writeFile(join(box.project, "opencode.json"), '{\n"plugin": [\n}')
    const { level, found } = await checked("plugin entry")
    expect(level).toBe("trouble")
    expect(found.join("\n")).toContain(`${join(box.project, "opencode.json")}:3`)
  })

  test("a project that only the user's own config loads it in needs no .hivemind/ yet", async () => {
    await cli(box, ["uninstall", "--yes", "--purge"])
    await cli(box, ["init", "--yes", "--global", "--plugin", "hivemind-opencode"], box.home)
    expect(await checked("folder")).toMatchObject({
      code: 0,
      level: "ok",
      found: ["no .hivemind/ yet; the first write makes it"],
    })
    expect(existsSync(hive(""))).toBe(false)
  })

  test.each(["0", "-1", "soon", "99999"])("--timeout %s is wrong usage", async (seconds) => {
    expect((await doctor("--timeout", seconds)).code).toBe(2)
  })
})

describe("doctor starts OpenCode", () => {
  const started = async (behaviour: FakeOpencode, ...args: string[]) => {
    env = await fakeOpencode(join(box.root, "bin"), behaviour)
    const check = await checked("plugin loads", "--timeout", "30", ...args)
    expect(isAlive()).toBe(false)
    return check
  }
  const pid = () => Number(readFileSync(join(box.project, "pid.txt"), "utf8"))
  // A zombie has ended, even if its parent has not read its exit code yet.
  const isAlive = () => /^[^Z]/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid())]).stdout.toString())

  test("and sees the plugin's tools, also where no config of ours explains them", async () => {
    await writeFile(join(box.project, "opencode.json"), "{}")
    const tools = ["bash", "hivemind_session", "hivemind_memory"]
    expect(await started({ tools })).toMatchObject({
      code: 0,
      level: "ok",
      found: [expect.stringMatching(/^OpenCode started \(\d+ s\) and has 2 HiveMind tools$/)],
    })
    expect(await checked("plugin entry", "--timeout", "30")).toMatchObject({ level: "ok" })
  })

  test("and passes on what it says of a plugin that did not load", async () => {
    const complaint = 'Failed to load plugin file:///x: Cannot find "dist/index.js"'
    expect(await started({ tools: ["bash"], complaint })).toMatchObject({
      code: 1,
      level: "trouble",
      found: ["OpenCode started without HiveMind's tools", complaint],
      // The same name again would be fetched in vain again.
      mend: expect.stringMatching(/from the package registry.* init --plugin "\//),
    })
  })

  test("and says what it refuses, why it ended, and that it took too long", async () => {
    const refusal = {
      name: "ConfigJsonError",
      data: { path: "/x/opencode.json", message: "bracket expected" },
    }
    expect(await started({ refusal })).toMatchObject({
      level: "trouble",
      found: ["OpenCode cannot open this project", "/x/opencode.json: bracket expected"],
    })
    expect(await started({ exit: 7 })).toMatchObject({
      level: "trouble",
      found: ["OpenCode did not start", "it ended at once (7)\nno such option"],
    })
    expect(await started({}, "--timeout", "1")).toMatchObject({
      level: "trouble",
      found: ["OpenCode did not answer within 1 s", ""],
    })
  })

  test("and leaves no process behind when it is interrupted", async () => {
    env = await fakeOpencode(join(box.root, "bin"), {})
    const child = spawn(process.execPath, ["--import", TSX, MAIN, "doctor"], {
      cwd: box.project,
      env: { ...env, HOME: box.home },
      stdio: "ignore",
    })
    await expect.poll(() => existsSync(join(box.project, "pid.txt")) && isAlive()).toBe(true)
    child.kill("SIGTERM")
    await new Promise((resolve) => child.once("exit", resolve))
    await expect.poll(isAlive).toBe(false)
  })

  test.skipIf(!existsSync("/bin/sh"))("through a link on the PATH", async () => {
    await fakeOpencode(join(box.root, "real"), { tools: ["hivemind_session"] })
    await mkdir(join(box.root, "links"))
    await symlink(join(box.root, "real", "opencode"), join(box.root, "links", "opencode"))
    env = { PATH: join(box.root, "links") }
    expect((await checked("plugin loads", "--timeout", "30")).level).toBe("ok")
  })
})
