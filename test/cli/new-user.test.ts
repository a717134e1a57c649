import { existsSync, readFileSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "jsonc-parser"
import { describe, expect, test } from "vitest"
import { config, defaultConfig } from "../../src/schemas/config.ts"
import { anAnchor, by, uuid } from "../support/records.ts"
import { fakeOpencode } from "./fake-opencode.ts"
import { fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()

const INIT = ["init", "--yes", "--plugin", "hivemind-opencode"]
const path = (name: string) => join(box.project, name)
const json = async (...args: string[]) => JSON.parse((await cli(box, [...args, "--json"])).stdout)

describe("a fresh clone, with the config and no .hivemind/ yet", () => {
  test("status and doctor agree that all is well, and the other commands find nothing", async () => {
    await cli(box, INIT)
    await rm(path(".hivemind"), { recursive: true })
    const status = await cli(box, ["status"])
    expect(status).toMatchObject({ code: 0, stderr: "" })
    expect(status.stdout).toContain("no plan yet: the first session makes one")
    expect(status.stdout).toContain("no .hivemind/ yet; the first write makes it")
    const env = await fakeOpencode(join(box.root, "bin"))
    const doctor = await cli(box, ["doctor", "--no-start"], box.project, env)
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining("All is well.") })
    expect(await cli(box, ["log", "refusals"])).toMatchObject({ code: 0, stdout: "Nothing was refused.\n" })
    expect(existsSync(path(".hivemind"))).toBe(false)
  })

  test("without any config it is still no project", async () => {
    expect((await cli(box, ["status"])).code).toBe(3)
  })

  test("uninstall leaves nothing behind, though init was run elsewhere", async () => {
    await cli(box, [...INIT, "--team"])
    await rm(path(".hivemind"), { recursive: true })
    await cli(box, ["uninstall", "--yes"])
    expect(existsSync(path("opencode.json"))).toBe(false)

    const mine = '{\n  "model": "a/b" // mine\n}\n'
    await writeFile(path("opencode.json"), mine)
    await cli(box, [...INIT, "--team"])
    await rm(path(".hivemind"), { recursive: true })
    await cli(box, ["uninstall", "--yes"])
    expect(parse(await readFile(path("opencode.json"), "utf8"))).toEqual({ model: "a/b" })
  })
})

test("no untouched file is reported as changed, after counts and folds", async () => {
  await fillProject(box.project)
  await withStore(box.project, async (store) => {
    await store.append(by, (tx) => tx.count(SESSION, "calls write", 3))
    await store.fold()
    await store.append(by, (tx) => tx.count(SESSION, "calls write", 1))
  })
  expect(await json("status")).toMatchObject({ problems: [] })
})

test("status counts closed sessions and stale and removed anchors", async () => {
  await fillProject(box.project)
  await withStore(box.project, async (store) => {
    await store.write(by, (tx) => {
      tx.add("anchor", anAnchor(21, { key: "stale" }))
      tx.add("anchor", anAnchor(22, { key: "gone" }))
    })
    await store.write(by, (tx) => {
      tx.set("anchor", uuid(21), { status: "stale" })
      tx.set("anchor", uuid(22), { status: "removed" })
      const [session] = tx.all("session")
      if (session !== undefined) tx.set("session", session.id, { status: "closed" })
    })
  })
  const { counts } = await json("status")
  expect(counts).toMatchObject({ anchors: 2, sessions: 1, open_sessions: 0 })
  const graph = (text: string) => /^graph +(.*)$/m.exec(text)?.[1]
  const words = graph((await cli(box, ["status"])).stdout)
  expect(words).toContain("2 anchors, 1 session (0 open)")
})

test("init and uninstall ask before they write, for programs too", async () => {
  expect(await cli(box, ["init", "--json"])).toMatchObject({ code: 2, stderr: "" })
  expect(existsSync(path(".hivemind"))).toBe(false)
  await cli(box, [...INIT, "--team"])
  const before = await readFile(path("opencode.json"), "utf8")
  const refused = await cli(box, ["uninstall", "--json"])
  expect(JSON.parse(refused.stdout)).toMatchObject({ code: "invalid_argument" })
  expect(refused.stdout).toContain("Pass `--yes`")
  expect(await readFile(path("opencode.json"), "utf8")).toBe(before)
  expect((await json("uninstall", "--yes")).changed).toBe(true)
})

describe("a broken file is described in plain words, with line and column", () => {
  test.each([
    ["{\n  plugin: []\n}", "line 2, column 3: this is not JSON: names and texts stand in double quotes."],
    ['{\n  "a": yes\n}', "line 2, column 8: this is not JSON: names and texts stand in double quotes."],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma is missing before this."],
    ['{\n  "a": [1\n', "line 3, column 1: a closing bracket ] is missing before this."],
    ['{"a": "x\n}', "line 1, column 7: a text has no closing quote."],
    [
      '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> b\n}',
      "line 2: git's merge markers (<<<<<<<, >>>>>>>) are still in it; keep one side and take the markers out.",
    ],
  ])("%j", async (text, words) => {
    await writeFile(path("opencode.json"), text)
    const { code, stderr } = await cli(box, INIT)
    expect(code).toBe(1)
    expect(stderr).toContain(words)
    expect(stderr).not.toMatch(/Invalid[A-Z]|Expected[A-Z]/)
  })
})

describe("the configuration in the README", () => {
  const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")
  const shown = parse(/```jsonc\n([\s\S]*?)```/.exec(readme)?.[1] ?? "", [], { allowTrailingComma: true })

  test("is the default, option by option, so that it can be copied without harm", () => {
    const { $schema, ...options } = shown
    expect(config.safeParse(shown).error).toBeUndefined()
    expect(Object.keys(options).length).toBeGreaterThan(5)
    expect(defaultConfig).toMatchObject(options)
  })

  test("names a schema that is there after init, and follows the options", async () => {
    await cli(box, INIT)
    const file = join(box.project, ".hivemind/system", shown.$schema)
    const schema = JSON.parse(await readFile(file, "utf8"))
    expect(Object.keys(schema.properties)).toEqual(Object.keys(config.shape))
  })
})

describe("what was wrong is told where it is seen", () => {
  test("merge markers in opencode.json are called that", async () => {
    await writeFile(
      path("opencode.json"),
      '{\n<<<<<<< HEAD\n  "model": "a"\n=======\n  "model": "b"\n>>>>>>> x\n}\n',
    )
    const { code, stderr } = await cli(box, INIT)
    expect(code).toBe(1)
    expect(stderr).toContain("A merge was not finished: line 2: git's merge markers")
    expect(stderr).not.toContain("not valid JSON")
  })

  test("advice names what people can type", async () => {
    await fillProject(box.project)
    const anchors = await cli(box, ["memory", "anchors", "nope"])
    expect(anchors).toMatchObject({ code: 1, stderr: expect.stringContaining("`hivemind memory anchors`") })
    expect(anchors.stderr).not.toContain("hivemind_anchor")
    expect((await cli(box, ["cost", "--session", "x"])).stderr).not.toContain("--version")
    expect((await cli(box, ["cost", "--sinc", "x"])).stderr).toContain("Did you mean --since?")
    expect((await cli(box, ["scan", "dirft"])).stderr).toContain("Allowed choices are map, drift")
  })
})
