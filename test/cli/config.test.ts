import { expect, test } from "vitest"
import { connectedAt } from "../support/connected.ts"
import { useFilledProject } from "./filled-project.ts"
import { cli, cliJson, projectFiles, shown } from "./harness.ts"

const FILE = ".hivemind/system/config.json"
const USER_FILE = "../home/.config/hivemind/config.json"
const box = useFilledProject()
const { at, has, read, put } = projectFiles(box)
const config = (args = "") => shown(box, `config${args}`)

test("lists every option with its value, where it is set and what it does", async () => {
  put(FILE, '{ "governance": "strict" }')
  const stdout = await config()
  expect(stdout).toContain(`governance = "strict"  (${at(FILE)})\n    assisted: refuse what cannot be undone`)
  expect(stdout).toContain("snapshots.keep_days = 14  (default)\n    How long snapshots are kept, in days.")
  expect((await cliJson(box, "config get research.tokens")).options).toEqual([
    { name: "research.tokens", value: 200_000, from: null, description: expect.any(String) },
  ])
})

test("set keeps comments and order, and unset removes the option", async () => {
  const text =
    '{\n  // Ours\n  "governance": "assisted", // for now\n  "detection": { "cooldown_minutes": 5 }\n}\n'
  put(FILE, text)
  expect(await config(" set governance strict")).toBe(`governance = "strict" in ${at(FILE)}\n`)
  expect(read(FILE)).toBe(text.replace('"assisted"', '"strict"'))
  await config(" set snapshots.keep_days 30")
  await config(" set detection.cooldown_minutes 10")
  expect(read(FILE)).toContain('// Ours\n  "governance": "strict", // for now')
  expect(read(FILE)).toContain('"cooldown_minutes": 10')
  expect(read(FILE)).toContain('"snapshots": {"keep_days":30}')
  expect(await config(" get snapshots.keep_days")).toContain("= 30")
  await config(" unset snapshots.keep_days")
  expect(await config(" get snapshots.keep_days")).toContain("= 14  (default)")
})

test("creates the file if there is none, and accepts one or several values for a list", async () => {
  expect(has(FILE)).toBe(false)
  const allow = async (...commands: string[]) => {
    await shown(box, ["config", "set", "allow_commands", ...commands])
    expect(JSON.parse(read(FILE))).toEqual({ allow_commands: commands })
  }
  await allow("git push --force origin gh-pages")
  await allow("terraform destroy", "git push -f origin demo")
  await config(" set exports_kept 7 --global")
  expect(JSON.parse(read(USER_FILE))).toEqual({ exports_kept: 7 })
  expect(await config(" get exports_kept")).toContain(`= 7  (${at(USER_FILE)})`)
})

test.each([
  ["set governance loose", "assisted"],
  ["set governence strict", "`hivemind config` lists all options"],
  ["set snapshots x", "snapshots.keep_days"],
  ["set governance", "No value was given"],
  ["set exports_kept many", "How many exports stay"],
  ["set run_commands allow", "--global"],
  ["set snapshots.keep_days 1", "--global"],
  ["get", "No option was given"],
])("config %s is refused with the values that are allowed", async (args, words) => {
  put(FILE, "{}")
  const { code, stderr } = await cli(box, `config ${args}`)
  expect([code, stderr, read(FILE)]).toEqual([2, expect.stringContaining(words), "{}"])
})

test("does not change a broken file", async () => {
  put(FILE, "{ broken")
  const { code, stderr } = await cli(box, "config set governance strict")
  expect([code, stderr, read(FILE)]).toEqual([1, expect.stringContaining("not valid JSON"), "{ broken"])
})

test("an option of the plugin's entry in opencode.json wins, and the error names that file", async () => {
  put("opencode.json", JSON.stringify({ plugin: [["hivemind-opencode", { governance: "off" }]] }))
  expect(await config(" get governance")).toContain(`governance = "off"  (${at("opencode.json")})`)
  const { code, stderr } = await cli(box, "config set governance strict")
  expect([code, stderr]).toEqual([1, expect.stringContaining(at("opencode.json"))])
})

test("only a person can allow a refused command: an agent can change the list neither in its shell nor with its tools", async () => {
  const allow = ["config", "set", "allow_commands", "git push --force"]
  for (const args of [allow, [...allow, "--global"], ["config", "unset", "allow_commands"]])
    for (const { code, stderr } of [
      await cli(box, args, box.project, { HIVEMIND_SESSION: "ses_1" }),
      await cli(box, args, box.project, {}, { ancestors: ["sh", "opencode"] }),
    ])
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining("needs a person")])
  const on = connectedAt(box.project)
  const content = '{ "allow_commands": ["git push --force"] }'
  const written = await on.call({ tool: "write", args: { filePath: at(FILE), content } })
  expect(written.refusal).toContain("may not write")
  for (const [n, command] of [
    `echo '${content}' > ${FILE}`,
    `cp evil.json ${FILE}`,
    `sed -i 's/x/y/' ${FILE}`,
    `node -e 'require("fs").writeFileSync("${FILE}", "{}")'`,
  ].entries()) {
    const { refusal } = await on.call({ tool: "bash", args: { command }, session: `ses_${n + 2}` })
    expect(refusal, command).toContain("may not write")
  }
  const forcePush = { tool: "bash", args: { command: "git push --force" } }
  expect((await on.call(forcePush)).refusal).toBeDefined()
  expect(has(FILE)).toBe(false)
  // The person can.
  await cli(box, allow)
  expect((await connectedAt(box.project).call(forcePush)).refusal).toBeUndefined()
})
