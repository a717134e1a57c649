import { lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import fc from "fast-check"
import { parse } from "jsonc-parser"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { readConfigFile, replaceConfigFile } from "../../../src/cli/install/config-file.ts"
import {
  configFiles,
  findInstalled,
  isHiveMind,
  readConfigs,
} from "../../../src/cli/install/find-opencode-config.ts"
import { addPlugin, pluginEntries, removeEntries } from "../../../src/cli/install/plugin-list.ts"
import { planInstall } from "../../../src/cli/install/write-config.ts"
import { HiveError } from "../../../src/shared/error.ts"
import { jsoncConfig } from "./jsonc-config.ts"

const NAME = "hivemind-opencode"
const FILE = "opencode.json"
const add = (text: string) => addPlugin(text, NAME, FILE)
const remove = (text: string, dropEmpty = false) =>
  removeEntries(text, FILE, ({ specifier }) => specifier === NAME, { dropEmpty })

describe("adding a plugin", () => {
  test.each([
    ["an empty object", "{}", `{\n  "plugin": ["${NAME}"]\n}`],
    ["a one-line object", '{"model": "a/b"}', `{"model": "a/b", "plugin": ["${NAME}"]}`],
    ["a last line of its own", '{\n\t"a": 1\n}\n', `{\n\t"a": 1,\n\t"plugin": ["${NAME}"]\n}\n`],
    ["Windows line ends", '{\r\n  "a": 1\r\n}\r\n', `{\r\n  "a": 1,\r\n  "plugin": ["${NAME}"]\r\n}\r\n`],
    ["a byte-order mark", '\uFEFF{"a": 1}', `\uFEFF{"a": 1, "plugin": ["${NAME}"]}`],
    ["a trailing comma", '{\n  "a": 1,\n}', `{\n  "a": 1,\n  "plugin": ["${NAME}"],\n}`],
    ["an empty list", '{"plugin": []}', `{"plugin": ["${NAME}"]}`],
    ["a one-line list", '{"plugin": ["x"], "a": 1}', `{"plugin": ["x", "${NAME}"], "a": 1}`],
    ["a list with a trailing comma", '{"plugin": ["x",]}', `{"plugin": ["x", "${NAME}",]}`],
    ["a list on lines", '{\n "plugin": [\n  "x"\n ]\n}', `{\n "plugin": [\n  "x",\n  "${NAME}"\n ]\n}`],
    [
      "a comment behind the last",
      '{"plugin": [\n  "x" // c\n]}',
      `{"plugin": [\n  "x", // c\n  "${NAME}"\n]}`,
    ],
    ["a comment behind an inline one", '{"plugin": ["x" // c\n]}', `{"plugin": ["x", // c\n  "${NAME}"\n]}`],
    ["only a comment", '{"plugin": [\n  // none\n]}', `{"plugin": [\n  // none\n  "${NAME}"\n]}`],
    ["only a block comment", '{"plugin": [/* a\n b */]}', `{"plugin": [/* a\n b */ "${NAME}"]}`],
    ["a comma on the next line", '{"plugin": [\n "x"\n ,\n]}', `{"plugin": [\n "x"\n ,\n "${NAME}",\n]}`],
    [
      "a key that is there twice",
      '{"plugin": ["x"], "plugin": []}',
      `{"plugin": ["x"], "plugin": ["${NAME}"]}`,
    ],
    ["variables outside strings", '{"a": {env:A}, "b": 1}', `{"a": {env:A}, "b": 1, "plugin": ["${NAME}"]}`],
  ])("keeps the style of %s", (_name, before, after) => {
    expect(add(before)).toBe(after)
  })

  test("fills a blank file, which OpenCode takes for an empty config", () => {
    expect(parse(add(" \n"))).toEqual({ $schema: "https://opencode.ai/config.json", plugin: [NAME] })
  })

  test("writes options beside the name", () => {
    const text = addPlugin("{}", [NAME, { governance: "strict" }], FILE)
    expect(parse(text)).toEqual({ plugin: [[NAME, { governance: "strict" }]] })
    expect(pluginEntries(text, FILE)).toMatchObject([{ specifier: NAME, options: { governance: "strict" } }])
  })

  test.each([
    ["a missing brace", '{\n  "a": 1,\n  "b": [1\n}', 4],
    ["a missing value", '{\n  "plugin":\n}', 3],
    ["a plugin key that is no list", '{\n  "plugin": "x"\n}', 2],
    ["a list instead of an object", "[]", 1],
  ])("refuses %s, and names the line", (_name, text, line) => {
    const error = thrownBy(() => add(text))
    expect(error).toMatchObject({ code: "broken_config", evidence: `${FILE}:${line}` })
    expect(error.what).toContain(FILE)
  })
})

describe("removing a plugin", () => {
  test.each([
    ["the only one", `{"plugin": ["${NAME}"]}`, '{"plugin": []}'],
    ["the first of two", `{"plugin": ["${NAME}", "x"]}`, '{"plugin": ["x"]}'],
    ["the last of two", `{"plugin": ["x", "${NAME}"]}`, '{"plugin": ["x"]}'],
    ["one with options", `{"plugin": ["x", ["${NAME}", {"a": 1}]]}`, '{"plugin": ["x"]}'],
    ["every one", `{"plugin": ["${NAME}", "x", "${NAME}"]}`, '{"plugin": ["x"]}'],
    ["a line", `{"plugin": [\n  "x", // c\n  "${NAME}"\n]}`, '{"plugin": [\n  "x" // c\n]}'],
    [
      "a line with Windows ends",
      `{"plugin": [\r\n  "${NAME}",\r\n  "x"\r\n]}`,
      '{"plugin": [\r\n  "x"\r\n]}',
    ],
    [
      "not the comment beside it",
      `{"plugin": [\n  "${NAME}", // why\n  "x"\n]}`,
      '{"plugin": [\n  // why\n  "x"\n]}',
    ],
    ["not the comment before it", `{"plugin": ["x", /* c */ "${NAME}"]}`, '{"plugin": ["x" /* c */]}'],
    ["not the comment before its comma", `{"plugin": ["${NAME}" /* c */, "x"]}`, '{"plugin": [/* c */ "x"]}'],
    ["not the break after a comment", `{"plugin": ["x", // c\n  "${NAME}"]}`, '{"plugin": ["x" // c\n  ]}'],
    ["with a trailing comma", `{"plugin": ["x", "${NAME}",]}`, '{"plugin": ["x",]}'],
  ])("takes out %s", (_name, before, after) => {
    expect(remove(before)).toBe(after)
  })

  test.each([
    '{\n  "model": "a/b", // note\n  // "plugin": []\n}\n',
    '\uFEFF{\r\n\t"plugin": [\r\n\t\t"x", // first\r\n\t\t"y"\r\n\t],\r\n}\r\n',
    '{ "a": 1, "plugin": ["x"] }',
    '{\n  "plugin": [\n    "x",\n    /* y */\n  ]\n}',
  ])("gives a tidy config back byte for byte (%j)", (text) => {
    expect(remove(add(text), pluginEntries(text, FILE) === undefined)).toBe(text)
  })

  test("takes the key along only when asked to and nothing is left in it", () => {
    const text = `{\n  "a": 1,\n  "plugin": ["${NAME}"],\n  "b": 2\n}`
    expect(remove(text, true)).toBe('{\n  "a": 1,\n  "b": 2\n}')
    expect(remove(`{"plugin": [/* mine */ "${NAME}"]}`, true)).toBe('{"plugin": [/* mine */]}')
    expect(remove('{"plugin": []}', true)).toBe('{"plugin": []}')
  })
})

test("for any config, adding changes only `plugin`, and removing gives the same config back", () => {
  fc.assert(
    fc.property(jsoncConfig(), (text) => {
      const added = add(text)
      const before = parse(text.replace("\uFEFF", ""))
      const after = parse(added.replace("\uFEFF", ""))
      expect(after).toEqual({ ...before, plugin: [...(before.plugin ?? []), NAME] })
      expect(commentsOf(added)).toEqual(commentsOf(text))
      expect(lineEndsOf(added)).toEqual(lineEndsOf(text))

      const removed = remove(added, before.plugin === undefined)
      expect(parse(removed.replace("\uFEFF", ""))).toEqual(before)
      expect(commentsOf(removed)).toEqual(commentsOf(text))
      // Blanks at odd places may differ; `uninstall` restores those from its record.
      expect(removed.replace(/\s/g, "")).toBe(text.replace(/\s/g, ""))
    }),
    { numRuns: 1000, seed: 1 },
  )
})

describe("which specifier is ours", () => {
  const checkout = dirname(fileURLToPath(new URL("../../../package.json", import.meta.url)))
  test.each([
    NAME,
    `${NAME}@1.2.3`,
    `${NAME}@latest`,
    `hive@npm:${NAME}@1`,
    checkout,
    pathToFileURL(checkout).href,
  ])("%s is", (specifier) => expect(isHiveMind(specifier, "/p/opencode.json")).toBe(true))
  test.each(["other", `${NAME}-extra`, `@me/${NAME}`, "/nowhere", "./x.ts", "file://%"])(
    "%s is not",
    (specifier) => expect(isHiveMind(specifier, "/p/opencode.json")).toBe(false),
  )
  test("a relative path counts from the config's own folder", () => {
    expect(isHiveMind(".", join(checkout, "opencode.json"))).toBe(true)
    expect(isHiveMind("..", join(checkout, ".opencode", "opencode.json"))).toBe(true)
    expect(isHiveMind("./dist/index.js", join(checkout, "opencode.json"))).toBe(true)
  })
})

describe("config files on disk", () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "hive-host-"))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  const place = () => ({ projectDir: dir, hiveHome: dir, home: join(dir, "home"), env: {} })
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }

  test("a project's file that lists plugins already is preferred, then the first that is there", async () => {
    const target = async () => (await planInstall("project", place(), () => NAME)).file
    expect(await target()).toBe(join(dir, "opencode.json"))
    await put(".opencode/opencode.jsonc", "{}")
    expect(await target()).toBe(join(dir, ".opencode", "opencode.jsonc"))
    await put("opencode.jsonc", "{}")
    expect(await target()).toBe(join(dir, "opencode.jsonc"))
    await put(".opencode/opencode.jsonc", '{"plugin": []}')
    expect(await target()).toBe(join(dir, ".opencode", "opencode.jsonc"))
  })

  test("of the user's files only the strongest plugin list counts, as OpenCode lets it replace the others", async () => {
    const read = () => readConfigs(configFiles("global", place()))
    await put("home/.config/opencode/opencode.json", `{"plugin": ["${NAME}"]}`)
    expect(findInstalled("global", await read())).toMatchObject({ entry: { specifier: NAME } })
    await put("home/.config/opencode/opencode.jsonc", '{"plugin": ["x"]}')
    expect(findInstalled("global", await read())).toBeUndefined()
    expect((await planInstall("global", place(), () => NAME)).file).toMatch(/opencode\.jsonc$/)
  })

  test("XDG_CONFIG_HOME moves the user's files", () => {
    const env = { XDG_CONFIG_HOME: "/elsewhere" }
    expect(configFiles("global", { ...place(), env })).toContain("/elsewhere/opencode/opencode.json")
  })

  test("a link is followed and stays a link; the mode stays", async () => {
    await writeFile(join(dir, "real.json"), "{}", { mode: 0o600 })
    await symlink("real.json", join(dir, "opencode.json"))
    await replaceConfigFile(join(dir, "opencode.json"), "{}", '{"a": 1}')
    expect(await readFile(join(dir, "real.json"), "utf8")).toBe('{"a": 1}')
    expect((await lstat(join(dir, "opencode.json"))).isSymbolicLink()).toBe(true)
    expect((await stat(join(dir, "real.json"))).mode & 0o777).toBe(0o600)
  })

  test("a link to nowhere, a folder and a file that is not UTF-8 are refused", async () => {
    await symlink("gone.json", join(dir, "link.json"))
    await mkdir(join(dir, "folder.json"))
    await writeFile(join(dir, "latin1.json"), Buffer.from([0x7b, 0xff, 0x7d]))
    for (const name of ["link.json", "folder.json", "latin1.json"]) {
      await expect(readConfigFile(join(dir, name))).rejects.toMatchObject({ code: "broken_config" })
    }
  })

  test("a change since the file was read is never overwritten", async () => {
    await put("opencode.json", '{"theirs": 1}')
    const write = replaceConfigFile(join(dir, "opencode.json"), "{}", '{"ours": 1}')
    await expect(write).rejects.toMatchObject({ code: "conflict" })
    expect(await readFile(join(dir, "opencode.json"), "utf8")).toBe('{"theirs": 1}')
  })
})

function thrownBy(action: () => unknown): HiveError {
  try {
    action()
  } catch (error) {
    if (error instanceof HiveError) return error
  }
  throw new Error("expected a HiveError")
}

function commentsOf(text: string): string[] {
  return text.match(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g) ?? []
}

function lineEndsOf(text: string): string[] {
  const ends = new Set(text.match(/\r?\n/g) ?? [])
  return [...(ends.size === 0 ? ["\n"] : ends)]
}
