import { mkdir, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import fc from "fast-check"
import { parse } from "jsonc-parser"
import { describe, expect, test } from "vitest"
import { readConfigFile, replaceConfigFile } from "../../../src/cli/install/config-file.ts"
import {
  configFiles,
  findInstalled,
  isHiveMind,
  readConfigs,
} from "../../../src/cli/install/find-opencode-config.ts"
import { addPlugin, pluginEntries, removeEntries } from "../../../src/cli/install/plugin-list.ts"
import { planInstall } from "../../../src/cli/install/write-config.ts"
import { projectFiles, useSandbox } from "../harness.ts"
import { jsoncConfig } from "./jsonc-config.ts"

const NAME = "hivemind-opencode"
const FILE = "opencode.json"
const add = (text: string) => addPlugin(text, NAME, FILE)
const remove = (text: string, dropEmpty = false) =>
  removeEntries(text, FILE, ({ specifier }) => specifier === NAME, { dropEmpty })

/** In each text, `@` is our entry. */
const withName = (text: string) => text.replaceAll("@", `"${NAME}"`)

test.each([
  ["an empty object", "{}", '{\n  "plugin": [@]\n}'],
  ["a one-line object", '{"model": "a/b"}', '{"model": "a/b", "plugin": [@]}'],
  ["a last line of its own", '{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"plugin": [@]\n}\n'],
  ["Windows line ends", '{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "plugin": [@]\r\n}\r\n'],
  ["a byte-order mark", '\uFEFF{"a": 1}', '\uFEFF{"a": 1, "plugin": [@]}'],
  ["a trailing comma", '{\n  "a": 1,\n}', '{\n  "a": 1,\n  "plugin": [@],\n}'],
  ["an empty list", '{"plugin": []}', '{"plugin": [@]}'],
  ["a one-line list", '{"plugin": ["x"], "a": 1}', '{"plugin": ["x", @], "a": 1}'],
  ["a list with a trailing comma", '{"plugin": ["x",]}', '{"plugin": ["x", @,]}'],
  ["a list on lines", '{\n "plugin": [\n  "x"\n ]\n}', '{\n "plugin": [\n  "x",\n  @\n ]\n}'],
  ["a comment behind the last", '{"plugin": [\n  "x" // c\n]}', '{"plugin": [\n  "x", // c\n  @\n]}'],
  ["a comment behind an inline one", '{"plugin": ["x" // c\n]}', '{"plugin": ["x", // c\n  @\n]}'],
  ["only a comment", '{"plugin": [\n  // none\n]}', '{"plugin": [\n  // none\n  @\n]}'],
  ["only a block comment", '{"plugin": [/* a\n b */]}', '{"plugin": [/* a\n b */ @]}'],
  ["a comma on the next line", '{"plugin": [\n "x"\n ,\n]}', '{"plugin": [\n "x"\n ,\n @,\n]}'],
  ["a key that is there twice", '{"plugin": ["x"], "plugin": []}', '{"plugin": ["x"], "plugin": [@]}'],
  ["variables outside strings", '{"a": {env:A}, "b": 1}', '{"a": {env:A}, "b": 1, "plugin": [@]}'],
])("adding a plugin keeps the style of %s", (_, before, after) => {
  expect(add(before)).toBe(withName(after))
})

test("adding a plugin fills a blank file, which OpenCode takes for an empty config, and writes options", () => {
  expect(parse(add(" \n"))).toEqual({ $schema: "https://opencode.ai/config.json", plugin: [NAME] })
  const options = { governance: "strict" }
  const text = addPlugin("{}", [NAME, options], FILE)
  expect(parse(text)).toEqual({ plugin: [[NAME, options]] })
  expect(pluginEntries(text, FILE)).toMatchObject([{ specifier: NAME, options }])
})

test.each([
  ["a missing brace", '{\n  "a": 1,\n  "b": [1\n}', 4],
  ["a missing value", '{\n  "plugin":\n}', 3],
  ["a plugin key that is no list", '{\n  "plugin": "x"\n}', 2],
  ["a list instead of an object", "[]", 1],
])("adding a plugin refuses %s, and names the line", (_, text, line) => {
  const error = { code: "broken_config", evidence: `${FILE}:${line}`, what: expect.stringContaining(FILE) }
  expect(() => add(text)).toThrow(expect.objectContaining(error))
})

test.each([
  ["the only one", '{"plugin": [@]}', '{"plugin": []}'],
  ["the first of two", '{"plugin": [@, "x"]}', '{"plugin": ["x"]}'],
  ["the last of two", '{"plugin": ["x", @]}', '{"plugin": ["x"]}'],
  ["one with options", '{"plugin": ["x", [@, {"a": 1}]]}', '{"plugin": ["x"]}'],
  ["every one", '{"plugin": [@, "x", @]}', '{"plugin": ["x"]}'],
  ["a line", '{"plugin": [\n  "x", // c\n  @\n]}', '{"plugin": [\n  "x" // c\n]}'],
  ["a line with Windows ends", '{"plugin": [\r\n  @,\r\n  "x"\r\n]}', '{"plugin": [\r\n  "x"\r\n]}'],
  ["not the comment beside it", '{"plugin": [\n  @, // c\n  "x"\n]}', '{"plugin": [\n  // c\n  "x"\n]}'],
  ["not the comment before it", '{"plugin": ["x", /* c */ @]}', '{"plugin": ["x" /* c */]}'],
  ["not the comment before its comma", '{"plugin": [@ /* c */, "x"]}', '{"plugin": [/* c */ "x"]}'],
  ["not the break after a comment", '{"plugin": ["x", // c\n  @]}', '{"plugin": ["x" // c\n  ]}'],
  ["with a trailing comma", '{"plugin": ["x", @,]}', '{"plugin": ["x",]}'],
])("removing a plugin takes out %s", (_, before, after) => {
  expect(remove(withName(before))).toBe(after)
})

test.each([
  ['{\n  "a": 1,\n  "plugin": [@],\n  "b": 2\n}', '{\n  "a": 1,\n  "b": 2\n}'],
  ['{"plugin": [/* mine */ @]}', '{"plugin": [/* mine */]}'],
  ['{"plugin": []}', '{"plugin": []}'],
])("%j: the key `plugin` is removed only on request, and only if it is empty", (before, after) => {
  expect(remove(withName(before), true)).toBe(after)
})

test("for any config, adding changes only `plugin`, and removing gives the same config back", () => {
  const commentsOf = (text: string) => text.match(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g) ?? []
  const lineEndsOf = (text: string) => [...new Set(text.match(/\r?\n/g) ?? ["\n"])]
  const parsed = (text: string) => parse(text.replace("\uFEFF", ""))
  fc.assert(
    fc.property(jsoncConfig(), (text) => {
      const added = add(text)
      const before = parsed(text)
      expect(parsed(added)).toEqual({ ...before, plugin: [...(before.plugin ?? []), NAME] })
      expect(commentsOf(added)).toEqual(commentsOf(text))
      expect(lineEndsOf(added)).toEqual(lineEndsOf(text))

      const removed = remove(added, before.plugin === undefined)
      expect(parsed(removed)).toEqual(before)
      expect(commentsOf(removed)).toEqual(commentsOf(text))
      // Blanks at odd places may differ; `uninstall` restores those from its record.
      expect(removed.replace(/\s/g, "")).toBe(text.replace(/\s/g, ""))
    }),
    { numRuns: 1000, seed: 1 },
  )
})

test("recognises HiveMind by its package name at any version, or by the path of a checkout", () => {
  const checkout = dirname(fileURLToPath(new URL("../../../package.json", import.meta.url)))
  const named = [NAME, `${NAME}@1.2.3`, `${NAME}@latest`, `hive@npm:${NAME}@1`]
  for (const specifier of [...named, checkout, pathToFileURL(checkout).href])
    expect(isHiveMind(specifier, "/p/opencode.json"), specifier).toBe(true)
  for (const specifier of ["other", `${NAME}-extra`, `@me/${NAME}`, "/nowhere", "./x.ts", "file://%"])
    expect(isHiveMind(specifier, "/p/opencode.json"), specifier).toBe(false)
  expect(isHiveMind(".", join(checkout, "opencode.json"))).toBe(true)
  expect(isHiveMind("..", join(checkout, ".opencode", "opencode.json"))).toBe(true)
  expect(isHiveMind("./dist/index.js", join(checkout, "opencode.json"))).toBe(true)
})

describe("config files on disk", () => {
  const box = useSandbox()
  const { at, read, put } = projectFiles(box)
  const place = () => ({ projectDir: box.project, hiveHome: box.project, home: box.home, env: {} })
  const target = async (scope: "project" | "global") =>
    (await planInstall(scope, place(), () => NAME)).file.slice(box.root.length + 1)

  test("a project's file that lists plugins already is preferred, then the first that is there", async () => {
    expect(await target("project")).toBe("project/opencode.json")
    put(".opencode/opencode.jsonc", "{}")
    expect(await target("project")).toBe("project/.opencode/opencode.jsonc")
    put("opencode.jsonc", "{}")
    expect(await target("project")).toBe("project/opencode.jsonc")
    put(".opencode/opencode.jsonc", '{"plugin": []}')
    expect(await target("project")).toBe("project/.opencode/opencode.jsonc")
  })

  test("of the user's files only the strongest plugin list counts, as OpenCode lets it replace the others", async () => {
    const installed = async () => findInstalled("global", await readConfigs(configFiles("global", place())))
    put("../home/.config/opencode/opencode.json", `{"plugin": ["${NAME}"]}`)
    expect(await installed()).toMatchObject({ entry: { specifier: NAME } })
    put("../home/.config/opencode/opencode.jsonc", '{"plugin": ["x"]}')
    expect(await installed()).toBeUndefined()
    expect(await target("global")).toMatch(/opencode\.jsonc$/)
    const elsewhere = configFiles("global", { ...place(), env: { XDG_CONFIG_HOME: "/elsewhere" } })
    expect(elsewhere).toContain("/elsewhere/opencode/opencode.json")
  })

  test("a link to nowhere, a folder and a file that is not UTF-8 are refused", async () => {
    await symlink("gone.json", at("link.json"))
    await mkdir(at("folder.json"))
    put("latin1.json", Buffer.from([0x7b, 0xff, 0x7d]))
    for (const name of ["link.json", "folder.json", "latin1.json"])
      await expect(readConfigFile(at(name))).rejects.toMatchObject({ code: "broken_config" })
  })

  test("a change since the file was read is never overwritten", async () => {
    put("opencode.json", '{"theirs": 1}')
    const write = replaceConfigFile(at("opencode.json"), "{}", '{"ours": 1}')
    await expect(write).rejects.toMatchObject({ code: "conflict" })
    expect(read("opencode.json")).toBe('{"theirs": 1}')
  })
})
