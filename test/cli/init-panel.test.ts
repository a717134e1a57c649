import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { cli, useSandbox } from "./harness.ts"
import { jsoncConfig } from "./install/jsonc-config.ts"

const REPOSITORY = resolve(import.meta.dirname, "../..")
const NAME = "hivemind-opencode"
const INIT = ["init", "--yes", "--team", "--plugin", NAME, "--panel"]
const UNINSTALL = ["uninstall", "--yes"]

const box = useSandbox()

const at = (path: string) => join(box.project, path)
const read = (path: string) => readFile(at(path), "utf8")
const put = async (path: string, text: string) => {
  await mkdir(dirname(at(path)), { recursive: true })
  await writeFile(at(path), text)
}

it("--panel adds it to tui.json, twice changes nothing, and uninstall leaves nothing of it", async () => {
  const { code, stdout } = await cli(box, INIT)
  expect(code).toBe(0)
  expect(stdout).toContain("tui.json: made, with the panel")
  expect(JSON.parse(await read("tui.json"))).toEqual({
    $schema: "https://opencode.ai/tui.json",
    plugin: [NAME],
  })
  expect((await cli(box, INIT)).stdout).toMatch(/Nothing to do[\s\S]*tui\.json: has it already: the panel/)
  const { stdout: taken } = await cli(box, [...UNINSTALL, "--purge"])
  expect(taken).toContain(`deleted files made by init: ${at("tui.json")}`)
  expect(await readdir(box.project)).toEqual([])
})

it("--global --panel adds it for OpenCode 2 where that has run, by the file where it is a path, and uninstall takes it out", async () => {
  const file = join(box.home, ".config", "opencode", "cli.json")
  const before = '{\n  // mine\n  "theme": { "name": "nord" }\n}\n'
  const init = (plugin: string) => cli(box, ["init", "--yes", "--global", "--panel", "--plugin", plugin])
  const uninstall = () => cli(box, ["uninstall", "--yes", "--global"])
  // It takes the settings of OpenCode 1 over at its first start, where it has none of its own.
  await init(NAME)
  expect(existsSync(file)).toBe(false)
  await uninstall()

  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, before)
  for (const [plugin, specifier] of [
    [NAME, NAME],
    [REPOSITORY, `${REPOSITORY}/dist/tui.js`],
  ] as const) {
    expect((await init(plugin)).stdout).toContain(`${file}: added the panel`)
    const after = await readFile(file, "utf8")
    expect(after).toContain("// mine")
    expect(after).toContain(`"plugins": ["${specifier}"]`)
    expect((await init(plugin)).stdout).toContain(`${file}: has it already: the panel`)
    await uninstall()
    expect(await readFile(file, "utf8")).toBe(before)
  }
  // Changed since: only our entry goes.
  await init(REPOSITORY)
  await writeFile(file, (await readFile(file, "utf8")).replace("nord", "ayu").replace('"]', '", "./own.ts"]'))
  await uninstall()
  expect(await readFile(file, "utf8")).toMatch(/"name": "ayu"[\s\S]*"plugins": \["\.\/own\.ts"\]/)
  // A project cannot have one of its own: a note says so, and no user's file is touched.
  expect((await cli(box, INIT)).stdout).toContain("`hivemind init --global --panel`")
  expect(await readFile(file, "utf8")).not.toContain(NAME)
})

it("--yes alone and --no-panel leave the terminal UI as it is", async () => {
  for (const more of [[], ["--no-panel"]]) {
    await cli(box, ["init", "--yes", "--plugin", NAME, ...more])
    expect(existsSync(at("tui.json"))).toBe(false)
  }
  expect(await cli(box, INIT)).toMatchObject({ code: 0 })
  expect(existsSync(at("tui.json"))).toBe(true)
})

it("--global puts it into the user's own, and takes it out there", async () => {
  await cli(box, ["init", "--yes", "--global", "--panel", "--plugin", NAME])
  const file = join(box.home, ".config", "opencode", "tui.json")
  expect(JSON.parse(await readFile(file, "utf8")).plugin).toEqual([NAME])
  expect(existsSync(at("tui.json"))).toBe(false)
  await cli(box, [...UNINSTALL, "--global"])
  expect(await readdir(box.home)).toEqual([])
})

it("an entry made by hand counts, and uninstall takes it out without a record", async () => {
  const text = `{\n  // mine\n  "theme": "nord",\n  "plugin": ["./x.tsx", "${NAME}@1.0.0"],\n}\n`
  await put(".opencode/tui.jsonc", text)
  const result = await cli(box, [...INIT, "--json"])
  expect(JSON.parse(result.stdout)).toMatchObject({
    panel: { file: at(".opencode/tui.jsonc"), change: "none" },
  })
  await cli(box, UNINSTALL)
  expect(await read(".opencode/tui.jsonc")).toBe(text.replace(`, "${NAME}@1.0.0"`, ""))
})

it("a broken tui.json stops --panel, but neither init nor uninstall without it", async () => {
  await put("tui.json", "{")
  expect((await cli(box, INIT)).code).toBe(1)
  expect(existsSync(at("opencode.json"))).toBe(false)
  expect((await cli(box, ["init", "--yes", "--plugin", NAME])).code).toBe(0)
  expect((await cli(box, UNINSTALL)).code).toBe(0)
  expect(await read("tui.json")).toBe("{")
})

it("is for OpenCode only", async () => {
  const { code, stderr } = await cli(box, ["init", "--yes", "--mcp", "claude", "--panel"])
  expect(code).toBe(2)
  expect(stderr).toContain("'--mcp <client>' cannot be used with option '--panel'")
})

it("doctor says where the panel is, or how to get it", async () => {
  await cli(box, ["init", "--yes", "--plugin", NAME])
  const doctor = async () => {
    const { checks } = JSON.parse((await cli(box, ["doctor", "--no-start", "--json"])).stdout)
    return checks.find(({ name }: { name: string }) => name === "panel").found
  }
  expect(await doctor()).toEqual([expect.stringContaining("hivemind init --panel")])
  await cli(box, INIT)
  expect(await doctor()).toEqual([`"${NAME}" in ${at("tui.json")}`])
})

it("after init and uninstall any tui.json has the same bytes again", async () => {
  await fc.assert(
    fc.asyncProperty(
      jsoncConfig(),
      fc.constantFrom("tui.json", ".opencode/tui.jsonc"),
      async (text, file) => {
        await put(file, text)
        await cli(box, INIT)
        expect(await read(file)).not.toBe(text)
        await cli(box, UNINSTALL)
        expect(await read(file)).toBe(text)
        await rm(at(file))
      },
    ),
    { numRuns: 25, seed: 1 },
  )
})
