import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, expect, test } from "vitest"
import { hivePaths } from "../../src/store/files/layout.ts"
import { connectedAt } from "../support/connected.ts"
import { fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
let file: string
beforeEach(async () => {
  await fillProject(box.project)
  file = hivePaths(box.project).config
})

const config = (...args: string[]) => cli(box, ["config", ...args])
const userFile = () => join(box.home, ".config/hivemind/config.json")

test("lists every option with its value, where it is set and what it does", async () => {
  writeFileSync(file, '{ "governance": "strict" }')
  const { code, stdout } = await config()
  expect(code).toBe(0)
  expect(stdout).toContain(`governance = "strict"  (${file})\n    assisted: inform and warn`)
  expect(stdout).toContain("snapshots.keep_days = 14  (default)\n    How long snapshots are kept, in days.")
  expect(JSON.parse((await config("get", "research.tokens", "--json")).stdout).options).toEqual([
    { name: "research.tokens", value: 200_000, from: null, description: expect.any(String) },
  ])
})

test("set keeps comments and order, and unset takes the option out again", async () => {
  const text =
    '{\n  // Ours\n  "governance": "assisted", // for now\n  "detection": { "cooldown_minutes": 5 }\n}\n'
  writeFileSync(file, text)
  expect((await config("set", "governance", "strict")).stdout).toBe(`governance = "strict" in ${file}\n`)
  expect(readFileSync(file, "utf8")).toBe(text.replace('"assisted"', '"strict"'))
  await config("set", "snapshots.keep_days", "30")
  await config("set", "detection.cooldown_minutes", "10")
  const after = readFileSync(file, "utf8")
  expect(after).toContain('// Ours\n  "governance": "strict", // for now')
  expect(after).toContain('"cooldown_minutes": 10')
  expect(after).toContain('"snapshots": {"keep_days":30}')
  expect((await config("get", "snapshots.keep_days")).stdout).toContain("= 30")
  await config("unset", "snapshots.keep_days")
  expect((await config("get", "snapshots.keep_days")).stdout).toContain("= 14  (default)")
})

test("makes the file where there is none; lists take several values, or one", async () => {
  expect(existsSync(file)).toBe(false)
  await config("set", "allow_commands", "git push --force origin gh-pages")
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    allow_commands: ["git push --force origin gh-pages"],
  })
  await config("set", "allow_commands", "terraform destroy", "git push -f origin demo")
  expect(JSON.parse(readFileSync(file, "utf8")).allow_commands).toHaveLength(2)
  await config("set", "exports_kept", "7", "--global")
  expect(JSON.parse(readFileSync(userFile(), "utf8"))).toEqual({ exports_kept: 7 })
  expect((await config("get", "exports_kept")).stdout).toContain(`= 7  (${userFile()})`)
})

test("what is wrong is not written, and the error says what would do", async () => {
  writeFileSync(file, "{}")
  const wrong: [args: string[], said: string][] = [
    [["set", "governance", "loose"], "assisted"],
    [["set", "governence", "strict"], "`hivemind config` lists them"],
    [["set", "snapshots", "x"], "snapshots.keep_days"],
    [["set", "governance"], "No value was given"],
    [["set", "exports_kept", "many"], "How many exports stay"],
    [["set", "run_commands", "allow"], "--global"],
    [["set", "snapshots.keep_days", "1"], "--global"],
    [["get"], "No option was named"],
  ]
  for (const [args, said] of wrong) {
    const { code, stderr } = await config(...args)
    expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(said)])
  }
  expect(readFileSync(file, "utf8")).toBe("{}")
  writeFileSync(file, "{ broken")
  expect(await config("set", "governance", "strict")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not valid JSON"),
  })
  expect(readFileSync(file, "utf8")).toBe("{ broken")
})

test("an option of the plugin's entry in opencode.json wins, and the error names that file", async () => {
  const host = join(box.project, "opencode.json")
  writeFileSync(host, JSON.stringify({ plugin: [["hivemind-opencode", { governance: "off" }]] }))
  expect((await config("get", "governance")).stdout).toContain(`governance = "off"  (${host})`)
  expect(await config("set", "governance", "strict")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(host),
  })
})

test("only a person can allow a refused command: an agent's shell and tools cannot write the list", async () => {
  const allow = ["config", "set", "allow_commands", "git push --force"]
  for (const args of [allow, [...allow, "--global"], ["config", "unset", "allow_commands"]])
    for (const { code, stderr } of [
      await cli(box, args, box.project, { HIVEMIND_SESSION: "ses_1" }),
      await cli(box, args, box.project, {}, { ancestors: ["sh", "opencode"] }),
    ])
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining("needs a person")])
  const on = connectedAt(box.project)
  const content = '{ "allow_commands": ["git push --force"] }'
  expect((await on.call({ tool: "write", args: { filePath: file, content } })).refusal).toContain(
    "may not write",
  )
  const byShell = [
    `echo '${content}' > .hivemind/system/config.json`,
    `cp evil.json .hivemind/system/config.json`,
    `sed -i 's/x/y/' .hivemind/system/config.json`,
    `node -e 'require("fs").writeFileSync(".hivemind/system/config.json", "{}")'`,
  ]
  for (const [at, command] of byShell.entries()) {
    const { refusal } = await on.call({ tool: "bash", args: { command }, session: `ses_${at + 2}` })
    expect(refusal, command).toContain("may not write")
  }
  expect((await on.call({ tool: "bash", args: { command: "git push --force" } })).refusal).toBeDefined()
  expect(existsSync(file)).toBe(false)
  // The person can.
  await cli(box, allow)
  const later = connectedAt(box.project)
  expect((await later.call({ tool: "bash", args: { command: "git push --force" } })).refusal).toBeUndefined()
})
