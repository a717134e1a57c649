import { existsSync, readFileSync } from "node:fs"
import { chmod, lstat, mkdir, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import fc from "fast-check"
import { parse } from "jsonc-parser"
import { describe, expect, test } from "vitest"
import { config, defaultConfig } from "../../src/schemas/config.ts"
import { fakeOpencode } from "./fake-opencode.ts"
import { everyFile } from "./filled-project.ts"
import { cli, cliJson, cliProcess, projectFiles, shown, useSandbox } from "./harness.ts"
import { jsoncConfig } from "./install/jsonc-config.ts"

const REPOSITORY = resolve(import.meta.dirname, "../..")
const NAME = "hivemind-opencode"
const INIT_HERE = `init --yes --plugin ${NAME}`
const INIT = `${INIT_HERE} --team`
const INIT_GLOBAL = `${INIT_HERE} --global`
const INIT_PANEL = `${INIT} --panel`
const UNINSTALL = "uninstall --yes"
const box = useSandbox()
const { at, has, read, put } = projectFiles(box)
const inUserConfig = (name: string) => join(box.home, ".config", "opencode", name)

describe("init", () => {
  test("makes a config and .hivemind/, and nothing else", async () => {
    expect(await shown(box, INIT)).toContain(`HiveMind is set up in ${box.project}.`)
    expect((await readdir(box.project)).sort()).toEqual([".hivemind", "opencode.json"])
    expect(JSON.parse(read("opencode.json"))).toEqual({
      $schema: "https://opencode.ai/config.json",
      plugin: [NAME],
    })
    expect(read(".hivemind/.gitignore")).toBe("*\n")
  })

  test("run twice, changes nothing the second time and says so", async () => {
    put("opencode.jsonc", '{\n  // mine\n  "plugin": ["x"]\n}\n')
    await cli(box, INIT)
    const before = await contents(box.project)
    expect(await shown(box, INIT)).toContain("Nothing to do")
    expect(await contents(box.project)).toEqual(before)
    expect(await cliJson(box, INIT)).toMatchObject({ status: "success", changed: false })
  })

  test("leaves an entry with options, a version or in another file as it is", async () => {
    put("opencode.json", '{"model": "a/b"}')
    put(".opencode/opencode.json", `{"plugin": [["${NAME}@1.0.0", {"governance": "strict"}]]}`)
    expect(await cliJson(box, INIT)).toMatchObject({ config: { change: "none", plugin: `${NAME}@1.0.0` } })
    expect(read("opencode.json")).toBe('{"model": "a/b"}')
  })

  test("with --global edits the user's config and names it; uninstall removes created files and folders", async () => {
    const user = inUserConfig("opencode.json")
    const { config: changed } = await cliJson(box, `${INIT_GLOBAL} --panel`)
    expect(changed).toEqual({ file: user, scope: "global", change: "created", plugin: NAME })
    expect(await readdir(box.project)).toEqual([".hivemind"])
    for (const file of [user, inUserConfig("tui.json")])
      expect(parse(readFileSync(file, "utf8")).plugin).toEqual([NAME])
    const here = await shown(box, UNINSTALL)
    expect(here).toContain("Nothing to do")
    expect(here).toContain("`hivemind uninstall --global` removes it there")
    expect(await shown(box, `${UNINSTALL} --global`)).toContain("deleted files made by init")
    expect(await readdir(box.home)).toEqual([])
    expect(await readdir(at(".hivemind/system"))).toEqual(["config.schema.json"])
  })

  test("with --global in the home folder makes no project of it", async () => {
    await cli(box, INIT_GLOBAL, box.home)
    expect(await readdir(box.home)).toEqual([".config"])
  })

  test("mentions an outer project around the --dir folder, and a plugin that is loaded twice", async () => {
    await cli(box, INIT_GLOBAL)
    await mkdir(at("inner"))
    expect((await cliJson(box, `${INIT} --dir inner`)).notes).toEqual([
      expect.stringContaining(`${box.project} is set up too`),
      expect.stringContaining("loads HiveMind as well"),
    ])
    expect(has("inner/opencode.json")).toBe(true)
  })

  test("refuses a broken config and touches nothing, as does uninstall of one that broke since", async () => {
    put("opencode.json", '{\n  "plugin": [\n}')
    const before = await everyFile(box.project)
    const { code, stdout, stderr } = await cli(box, INIT)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`evidence: ${at("opencode.json")}:3`)
    expect(await everyFile(box.project)).toEqual(before)
    expect(await cliJson(box, INIT)).toMatchObject({ status: "error", code: "broken_config" })
    put("opencode.json", "{}")
    await cli(box, INIT)
    put("opencode.json", "{")
    expect((await cli(box, UNINSTALL)).code).toBe(1)
    expect([read("opencode.json"), has(".hivemind/system/install.json")]).toEqual(["{", true])
  })

  test.each([
    ["{\n  plugin: []\n}", "line 2, column 3: this is not JSON: names and texts must be in double quotes."],
    ['{\n  "a": yes\n}', "line 2, column 8: this is not JSON: names and texts must be in double quotes."],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma is missing before this."],
    ['{\n  "a": [1\n', "line 3, column 1: a closing bracket ] is missing before this."],
    ['{"a": "x\n}', "line 1, column 7: a text has no closing quote."],
    [
      '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> b\n}',
      "The file contains an unfinished merge: line 2: git's merge markers (<<<<<<<, >>>>>>>) are still in it; keep one side and remove the markers.",
    ],
  ])("describes the broken file %j in plain words, with line and column", async (text, words) => {
    put("opencode.json", text)
    const { stderr } = await cli(box, INIT_HERE)
    expect(stderr).toContain(words)
    expect(stderr).not.toMatch(/Invalid[A-Z]|Expected[A-Z]/)
    expect(stderr.includes("not valid JSON")).toBe(!words.includes("merge"))
  })

  test("exits with 4 and leaves the config alone when .hivemind/ cannot be made", async () => {
    put("opencode.json", "{}")
    put(".hivemind", "a file in its place")
    const { code, stdout } = await cli(box, `${INIT} --json`)
    expect([code, JSON.parse(stdout)]).toMatchObject([4, { status: "error", code: "not_writable" }])
    expect([read("opencode.json"), read(".hivemind")]).toEqual(["{}", "a file in its place"])
  })

  test("takes .hivemind/ back when the config cannot be written", async () => {
    put("blocker", "a file where the user's config folder should be")
    const blocked = { XDG_CONFIG_HOME: at("blocker/x") }
    const { code, stdout } = await cliProcess(box, `${INIT_GLOBAL} --json`, blocked)
    expect([code, JSON.parse(stdout)]).toMatchObject([4, { status: "error", code: "not_writable" }])
    expect(await readdir(box.project)).toEqual(["blocker"])
  })
})

describe("uninstall", () => {
  test("restores odd bytes exactly, with mode and link", async () => {
    const odd = '\uFEFF{ \r\n\t"a" : 1 ,\n "plugin" :[ "x" /* c */ , ] }  \r\n'
    put("shared/real.jsonc", odd)
    await chmod(at("shared/real.jsonc"), 0o640)
    await symlink("shared/real.jsonc", at("opencode.jsonc"))
    const before = await contents(box.project)
    await cli(box, INIT)
    expect(read("opencode.jsonc")).not.toBe(odd)
    expect(await cliJson(box, `${UNINSTALL} --purge`)).toMatchObject({ changed: true, purged: true })
    expect(await contents(box.project)).toEqual(before)
    expect((await lstat(at("opencode.jsonc"))).isSymbolicLink()).toBe(true)
    expect((await stat(at("opencode.jsonc"))).mode & 0o777).toBe(0o640)
  })

  test.each(['{\n  "model": "a/b" // mine\n}\n', '{"model":"a/b"}', '\uFEFF{\r\n  "model": "a/b"\r\n}'])(
    "restores %j, to which OpenCode has added its $schema since",
    async (before) => {
      put("opencode.jsonc", before)
      await cli(box, INIT)
      const schema = '{\n  "$schema": "https://opencode.ai/config.json",'
      put("opencode.jsonc", read("opencode.jsonc").replace(/^\s*\{/, schema))
      const { files } = await cliJson(box, UNINSTALL)
      expect(files).toEqual([{ file: at("opencode.jsonc"), change: "restored" }])
      expect(read("opencode.jsonc")).toBe(before)
    },
  )

  test("takes only the entry out of a config that was changed since", async () => {
    put("opencode.jsonc", '{\n  "model": "a/b" // mine\n}\n')
    await cli(box, INIT)
    const changed = read("opencode.jsonc").replace("a/b", "c/d")
    put("opencode.jsonc", changed.replace(/\n\}/, ',\n  "share": "disabled"\n}'))
    const { files } = await cliJson(box, UNINSTALL)
    expect(files).toEqual([{ file: at("opencode.jsonc"), change: "entry_removed" }])
    expect(read("opencode.jsonc")).toBe('{\n  "model": "c/d", // mine\n  "share": "disabled"\n}\n')
  })

  test("keeps a config that init made and a user has added to", async () => {
    await cli(box, INIT)
    put("opencode.json", read("opencode.json").replace("{", '{\n  "model": "a/b",'))
    expect((await cli(box, UNINSTALL)).stdout).toContain("is kept")
    expect(has(".hivemind/graph")).toBe(true)
    const $schema = "https://opencode.ai/config.json"
    expect(JSON.parse(read("opencode.json"))).toEqual({ model: "a/b", $schema })
  })

  test("works without a record, with a damaged one, and after init was run in another folder", async () => {
    put("opencode.json", `{"plugin": ["x", "${NAME}"]}`)
    await cli(box, UNINSTALL)
    expect(read("opencode.json")).toBe('{"plugin": ["x"]}')
    await cli(box, INIT)
    put(".hivemind/system/install.json", '{"version": 1, "changes": [{')
    await cli(box, UNINSTALL)
    expect(read("opencode.json")).toBe('{"plugin": ["x"]}')
    await rm(at("opencode.json"))
    await cli(box, INIT)
    await rm(at(".hivemind"), { recursive: true })
    await cli(box, UNINSTALL)
    expect(has("opencode.json")).toBe(false)
  })

  test("a record that was tampered with never becomes a config, and holds no copy of one, which may hold keys", async () => {
    put("opencode.json", '{"apiKey": "sk-secret"}')
    await cli(box, INIT)
    const record = read(".hivemind/system/install.json")
    expect(record).not.toContain("sk-secret")
    expect(record).toContain('"insert": ""')
    put(".hivemind/system/install.json", record.replace('"insert": ""', '"insert": "rubbish"'))
    await cli(box, UNINSTALL)
    expect(read("opencode.json")).toBe('{"apiKey": "sk-secret"}')
  })

  test("still works after the project has moved, and from a folder inside of it", async () => {
    put("opencode.json", '{"plugin":[ ]}')
    await cli(box, INIT)
    await rename(box.project, join(box.root, "moved"))
    box.project = join(box.root, "moved")
    await mkdir(at("src/deep"), { recursive: true })
    expect((await cli(box, UNINSTALL, at("src/deep"))).code).toBe(0)
    expect(read("opencode.json")).toBe('{"plugin":[ ]}')
  })

  test.each([
    ["opencode.json", INIT, 75],
    [".opencode/opencode.jsonc", INIT, 75],
    ["tui.json", INIT_PANEL, 15],
    [".opencode/tui.jsonc", INIT_PANEL, 15],
    ["../home/.config/opencode/opencode.json", INIT_HERE, 40],
  ])("after init, %s has its bytes back, whatever is in it", async (file, init, numRuns) => {
    await fc.assert(
      fc.asyncProperty(jsoncConfig(), async (text) => {
        put(file, text)
        expect(await cliJson(box, init)).toMatchObject({ status: "success", changed: true })
        expect(read(file)).not.toBe(text)
        await cli(box, UNINSTALL)
        expect(read(file)).toBe(text)
        await rm(at(file))
      }),
      { numRuns, seed: 1 },
    )
  })
})

describe("the panel", () => {
  test("--panel adds it to tui.json, twice changes nothing, and uninstall leaves nothing of it", async () => {
    expect(await shown(box, INIT_PANEL)).toContain("tui.json: created, with the panel")
    const $schema = "https://opencode.ai/tui.json"
    expect(JSON.parse(read("tui.json"))).toEqual({ $schema, plugin: [NAME] })
    expect(await shown(box, INIT_PANEL)).toMatch(/Nothing to do[\s\S]*tui\.json: already has the panel/)
    const taken = await shown(box, `${UNINSTALL} --purge`)
    expect(taken).toContain(`deleted files made by init: ${at("tui.json")}`)
    expect(await readdir(box.project)).toEqual([])
  })

  test("--global --panel adds it for OpenCode 2 where that has run, by the file where it is a path, and uninstall takes it out", async () => {
    const file = inUserConfig("cli.json")
    const inFile = () => readFileSync(file, "utf8")
    const before = '{\n  // mine\n  "theme": { "name": "nord" }\n}\n'
    const init = (plugin: string) => shown(box, `init --yes --global --panel --plugin ${plugin}`)
    const uninstall = () => cli(box, `${UNINSTALL} --global`)
    // It takes the settings of OpenCode 1 over at its first start, where it has none of its own.
    await init(NAME)
    expect(existsSync(file)).toBe(false)
    await uninstall()

    await mkdir(inUserConfig(""), { recursive: true })
    await writeFile(file, before)
    for (const [plugin, specifier] of [
      [NAME, NAME],
      [REPOSITORY, `${REPOSITORY}/dist/tui.js`],
    ] as const) {
      expect(await init(plugin)).toContain(`${file}: added the panel`)
      expect(inFile()).toContain("// mine")
      expect(inFile()).toContain(`"plugins": ["${specifier}"]`)
      expect(await init(plugin)).toContain(`${file}: already has the panel`)
      await uninstall()
      expect(inFile()).toBe(before)
    }
    // Changed since: only our entry goes.
    await init(REPOSITORY)
    await writeFile(file, inFile().replace("nord", "ayu").replace('"]', '", "./own.ts"]'))
    await uninstall()
    expect(inFile()).toMatch(/"name": "ayu"[\s\S]*"plugins": \["\.\/own\.ts"\]/)
    // A project cannot have one of its own: a note says so, and no user's file is touched.
    expect(await shown(box, INIT_PANEL)).toContain("`hivemind init --global --panel`")
    expect(inFile()).not.toContain(NAME)
  })

  test("--yes alone and --no-panel leave the terminal UI as it is; doctor says where the panel is, or how to get it", async () => {
    const doctor = async () => {
      const { checks } = await cliJson(box, "doctor --no-start")
      return checks.find(({ name }: { name: string }) => name === "panel").found
    }
    for (const more of ["", " --no-panel"]) {
      await cli(box, INIT_HERE + more)
      expect(has("tui.json")).toBe(false)
    }
    expect(await doctor()).toEqual([expect.stringContaining("hivemind init --panel")])
    await cli(box, INIT_PANEL)
    expect(await doctor()).toEqual([`"${NAME}" in ${at("tui.json")}`])
  })

  test("an entry made by hand counts, and uninstall takes it out without a record", async () => {
    const text = `{\n  // mine\n  "theme": "nord",\n  "plugin": ["./x.tsx", "${NAME}@1.0.0"],\n}\n`
    put(".opencode/tui.jsonc", text)
    const { panel } = await cliJson(box, INIT_PANEL)
    expect(panel).toEqual({ file: at(".opencode/tui.jsonc"), change: "none" })
    await cli(box, UNINSTALL)
    expect(read(".opencode/tui.jsonc")).toBe(text.replace(`, "${NAME}@1.0.0"`, ""))
  })

  test("a broken tui.json stops --panel, but neither init nor uninstall without it", async () => {
    put("tui.json", "{")
    expect((await cli(box, INIT_PANEL)).code).toBe(1)
    expect(has("opencode.json")).toBe(false)
    expect((await cli(box, INIT_HERE)).code).toBe(0)
    expect((await cli(box, UNINSTALL)).code).toBe(0)
    expect(read("tui.json")).toBe("{")
  })
})

describe("a config of OpenCode 2", () => {
  const theirs = '{\n  // of version 2\n  "plugins": [{ "package": "a", "options": {} }, "b"]\n}\n'

  test("gets the key that both versions read, and is restored byte for byte", async () => {
    put("opencode.jsonc", theirs)
    expect((await cli(box, INIT)).code).toBe(0)
    const plugins = [{ package: "a", options: {} }, "b"]
    expect(parse(read("opencode.jsonc"))).toEqual({ plugins, plugin: [NAME] })
    await cli(box, UNINSTALL)
    expect(read("opencode.jsonc")).toBe(theirs)
  })

  test("that lists HiveMind under its own key has it already, and uninstall takes out that entry alone", async () => {
    const ours = `{ "package": "${NAME}", "options": { "split": "off" } }`
    put("opencode.jsonc", theirs.replace('"b"', ours))
    expect((await cli(box, INIT)).stdout).toContain("opencode.jsonc: already has")
    await cli(box, UNINSTALL)
    expect(parse(read("opencode.jsonc"))).toEqual({ plugins: [{ package: "a", options: {} }] })
    expect(read("opencode.jsonc")).toContain("// of version 2")
  })
})

test("in a fresh clone, with the config and no .hivemind/ yet, status and doctor find all well", async () => {
  await cli(box, INIT_HERE)
  await rm(at(".hivemind"), { recursive: true })
  const status = await shown(box, "status")
  expect(status).toContain("no plan yet: the first session makes one")
  expect(status).toContain("no .hivemind/ yet; the first write makes it")
  const env = await fakeOpencode(join(box.root, "bin"))
  const doctor = await cli(box, "doctor --no-start", box.project, env)
  const nothingYet = /ok +folder +no \.hivemind\/ yet; the first write makes it\n[\s\S]*All is well\./
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringMatching(nothingYet) })
  expect(await shown(box, "log refusals")).toBe("Nothing was refused.\n")
  expect(has(".hivemind")).toBe(false)
})

test("the configuration in the README is the default, and names a schema that init writes", async () => {
  const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8")
  const inReadme = /```jsonc\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
  const { $schema, ...options } = parse(inReadme, [], { allowTrailingComma: true })
  expect(config.safeParse({ $schema, ...options }).error).toBeUndefined()
  expect(Object.keys(options).length).toBeGreaterThan(5)
  expect(defaultConfig).toMatchObject(options)
  await cli(box, INIT_HERE)
  const schema = JSON.parse(read(`.hivemind/system/${$schema}`))
  expect(Object.keys(schema.properties)).toEqual(Object.keys(config.shape))
})

async function contents(dir: string): Promise<Record<string, string>> {
  const files = Object.entries(await everyFile(dir))
  return Object.fromEntries(files.map(([path, text]) => [path, text.replace(/^\S+ /, "")]))
}
