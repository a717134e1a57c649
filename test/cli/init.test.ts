import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { parse } from "jsonc-parser"
import { describe, expect, test } from "vitest"
import { requireHive } from "../../src/cli/project/open-project.ts"
import { cli, cliProcess, MAIN, TSX, useSandbox } from "./harness.ts"
import { jsoncConfig } from "./install/jsonc-config.ts"

const NAME = "hivemind-opencode"
const INIT_HERE = ["init", "--yes", "--plugin", NAME]
const INIT = [...INIT_HERE, "--team"]
const INIT_GLOBAL = [...INIT_HERE, "--global"]

const box = useSandbox()

const inProject = (path: string) => join(box.project, path)
const read = (path: string) => readFile(inProject(path), "utf8")
const put = async (path: string, text: string) => {
  await mkdir(dirname(inProject(path)), { recursive: true })
  await writeFile(inProject(path), text)
}

describe("init", () => {
  test("makes a config and .hivemind/, and nothing else", async () => {
    const { code, stdout, stderr } = await cli(box, INIT)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`HiveMind is set up in ${box.project}.`)
    expect((await readdir(box.project)).sort()).toEqual([".hivemind", "opencode.json"])
    expect(JSON.parse(await read("opencode.json"))).toEqual({
      $schema: "https://opencode.ai/config.json",
      plugin: [NAME],
    })
    expect(await read(".hivemind/.gitignore")).toBe("*\n")
  })

  test("run twice, changes nothing the second time and says so", async () => {
    await put("opencode.jsonc", '{\n  // mine\n  "plugin": ["x"]\n}\n')
    await cli(box, INIT)
    const before = await snapshot(box.project)
    const again = await cli(box, INIT)
    expect(again.code).toBe(0)
    expect(again.stdout).toContain("Nothing to do")
    expect(await snapshot(box.project)).toEqual(before)
    expect(json(await cli(box, [...INIT, "--json"]))).toMatchObject({ status: "success", changed: false })
  })

  test("leaves an entry with options, a version or in another file as it is", async () => {
    await put("opencode.json", '{"model": "a/b"}')
    await put(".opencode/opencode.json", `{"plugin": [["${NAME}@1.0.0", {"governance": "strict"}]]}`)
    const result = json(await cli(box, [...INIT, "--json"]))
    expect(result["config"]).toMatchObject({ change: "none", plugin: `${NAME}@1.0.0` })
    expect(await read("opencode.json")).toBe('{"model": "a/b"}')
  })

  test("with --global edits the user's config, and says where", async () => {
    const user = join(box.home, ".config", "opencode", "opencode.json")
    const result = json(await cli(box, [...INIT_GLOBAL, "--json"]))
    expect(result["config"]).toEqual({ file: user, scope: "global", change: "created", plugin: NAME })
    expect(await readdir(box.project)).toEqual([".hivemind"])
    expect(parse(await readFile(user, "utf8")).plugin).toEqual([NAME])
  })

  test("with --global in the home folder makes no project of it", async () => {
    await cli(box, INIT_GLOBAL, box.home)
    expect(await readdir(box.home)).toEqual([".config"])
  })

  test("--dir names the project", async () => {
    await mkdir(inProject("sub"))
    await cli(box, [...INIT, "--dir", "sub"])
    expect(await readdir(box.project)).toEqual(["sub"])
    expect(existsSync(inProject("sub/opencode.json"))).toBe(true)
  })

  test("mentions a project around this one, and a plugin loaded twice", async () => {
    await cli(box, INIT_GLOBAL)
    await mkdir(inProject("inner"))
    const result = json(await cli(box, [...INIT, "--dir", "inner", "--json"]))
    expect(result["notes"]).toEqual([
      expect.stringContaining(`${box.project} is set up too`),
      expect.stringContaining("loads HiveMind as well"),
    ])
  })

  test("refuses a broken config and touches nothing", async () => {
    await put("opencode.json", '{\n  "plugin": [\n}')
    const before = await snapshot(box.project)
    const { code, stdout, stderr } = await cli(box, INIT)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`evidence: ${inProject("opencode.json")}:3`)
    expect(await snapshot(box.project)).toEqual(before)
    expect(json(await cli(box, [...INIT, "--json"]))).toMatchObject({
      status: "error",
      code: "broken_config",
    })
  })

  test("exits with 4 and leaves the config alone when .hivemind/ cannot be made", async () => {
    await put("opencode.json", "{}")
    await put(".hivemind", "a file in its place")
    const result = await cli(box, [...INIT, "--json"])
    expect(result.code).toBe(4)
    expect(json(result)).toMatchObject({ status: "error", code: "not_writable" })
    expect(await read("opencode.json")).toBe("{}")
    expect(await read(".hivemind")).toBe("a file in its place")
  })

  test("takes .hivemind/ back when the config cannot be written", async () => {
    await put("blocker", "a file where the user's config folder should be")
    const run = await cliProcess(box, [...INIT_GLOBAL, "--json"], {
      XDG_CONFIG_HOME: inProject("blocker/x"),
    })
    expect(run.code).toBe(4)
    expect(json(run)).toMatchObject({ status: "error", code: "not_writable" })
    expect(await readdir(box.project)).toEqual(["blocker"])
  })

  test.skipIf(process.getuid?.() === 0)("exits with 4 in a read-only folder", async () => {
    await chmod(box.project, 0o500)
    expect((await cli(box, INIT)).code).toBe(4)
    await chmod(box.project, 0o700)
  })
})

describe("uninstall", () => {
  const UNINSTALL = ["uninstall", "--yes"]

  test("removes the config that init made, and the folders made for it", async () => {
    await cli(box, INIT_GLOBAL)
    const { stdout } = await cli(box, [...UNINSTALL, "--global"])
    expect(stdout).toContain("deleted files made by init")
    expect(await readdir(box.home)).toEqual([])
    expect(await readdir(inProject(".hivemind/system"))).toEqual(["config.schema.json"])
  })

  test("restores odd bytes exactly, with mode and link", async () => {
    const odd = '\uFEFF{ \r\n\t"a" : 1 ,\n "plugin" :[ "x" /* c */ , ] }  \r\n'
    await put("shared/real.jsonc", odd)
    await chmod(inProject("shared/real.jsonc"), 0o640)
    await symlink("shared/real.jsonc", inProject("opencode.jsonc"))
    const before = await snapshot(box.project)
    await cli(box, INIT)
    expect(await read("opencode.jsonc")).not.toBe(odd)
    expect(json(await cli(box, [...UNINSTALL, "--purge", "--json"]))).toMatchObject({
      changed: true,
      purged: true,
    })
    expect(await snapshot(box.project)).toEqual(before)
    expect((await lstat(inProject("opencode.jsonc"))).isSymbolicLink()).toBe(true)
    expect((await stat(inProject("opencode.jsonc"))).mode & 0o777).toBe(0o640)
  })

  test.each(['{\n  "model": "a/b" // mine\n}\n', '{"model":"a/b"}', '\uFEFF{\r\n  "model": "a/b"\r\n}'])(
    "restores %j, to which OpenCode has added its $schema since",
    async (before) => {
      await put("opencode.jsonc", before)
      await cli(box, INIT)
      const left = await read("opencode.jsonc")
      // As OpenCode does at its start.
      const schema = '{\n  "$schema": "https://opencode.ai/config.json",'
      await put("opencode.jsonc", left.replace(/^\s*\{/, schema))
      const result = json(await cli(box, [...UNINSTALL, "--json"]))
      expect(result["files"]).toEqual([{ file: inProject("opencode.jsonc"), change: "restored" }])
      expect(await read("opencode.jsonc")).toBe(before)
    },
  )

  test("takes only the entry out of a config that was changed since", async () => {
    await put("opencode.jsonc", '{\n  "model": "a/b" // mine\n}\n')
    await cli(box, INIT)
    const changed = (await read("opencode.jsonc"))
      .replace("a/b", "c/d")
      .replace(/\n\}/, ',\n  "share": "disabled"\n}')
    await put("opencode.jsonc", changed)
    const result = json(await cli(box, [...UNINSTALL, "--json"]))
    expect(result["files"]).toEqual([{ file: inProject("opencode.jsonc"), change: "entry_removed" }])
    expect(await read("opencode.jsonc")).toBe('{\n  "model": "c/d", // mine\n  "share": "disabled"\n}\n')
  })

  test("keeps a config that init made and a user has added to", async () => {
    await cli(box, INIT)
    await put("opencode.json", (await read("opencode.json")).replace("{", '{\n  "model": "a/b",'))
    await cli(box, UNINSTALL)
    expect(JSON.parse(await read("opencode.json"))).toEqual({
      model: "a/b",
      $schema: "https://opencode.ai/config.json",
    })
  })

  test("works without a record, and with a damaged one", async () => {
    await put("opencode.json", `{"plugin": ["x", "${NAME}"]}`)
    await cli(box, UNINSTALL)
    expect(await read("opencode.json")).toBe('{"plugin": ["x"]}')
    await cli(box, INIT)
    await put(".hivemind/system/install.json", '{"version": 1, "changes": [{')
    await cli(box, UNINSTALL)
    expect(await read("opencode.json")).toBe('{"plugin": ["x"]}')
  })

  test("a record that was tampered with never becomes a config", async () => {
    await put("opencode.json", '{"a": 1}')
    await cli(box, INIT)
    const record = await read(".hivemind/system/install.json")
    expect(record).toContain('"insert": ""')
    await put(".hivemind/system/install.json", record.replace('"insert": ""', '"insert": "rubbish"'))
    await cli(box, UNINSTALL)
    expect(await read("opencode.json")).toBe('{"a": 1}')
  })

  test("the record holds no copy of the config, which may hold keys", async () => {
    await put("opencode.json", '{\n  "provider": {"p": {"options": {"apiKey": "sk-secret"}}}\n}')
    await cli(box, INIT)
    expect(await read(".hivemind/system/install.json")).not.toContain("sk-secret")
  })

  test("still works after the project has moved", async () => {
    await put("opencode.json", '{"plugin":[ ]}')
    await cli(box, INIT)
    await rename(box.project, join(box.root, "moved"))
    box.project = join(box.root, "moved")
    await cli(box, UNINSTALL)
    expect(await read("opencode.json")).toBe('{"plugin":[ ]}')
  })

  test("works from a folder inside the project", async () => {
    await cli(box, INIT)
    expect(existsSync(inProject("opencode.json"))).toBe(true)
    await mkdir(inProject("src/deep"), { recursive: true })
    expect((await cli(box, UNINSTALL, inProject("src/deep"))).code).toBe(0)
    expect(existsSync(inProject("opencode.json"))).toBe(false)
  })

  test("keeps .hivemind/ unless --purge, which --json alone does not grant", async () => {
    await cli(box, INIT)
    expect((await cli(box, UNINSTALL)).stdout).toContain("is kept")
    const refused = await cli(box, ["uninstall", "--purge", "--json"])
    expect(refused.code).toBe(2)
    expect(existsSync(inProject(".hivemind/graph"))).toBe(true)
    await cli(box, [...UNINSTALL, "--purge"])
    expect(await readdir(box.project)).toEqual([])
  })

  test("says so when there is nothing to take back, or when it is elsewhere", async () => {
    await cli(box, INIT_GLOBAL)
    const { code, stdout } = await cli(box, UNINSTALL)
    expect(code).toBe(0)
    expect(stdout).toContain("Nothing to do")
    expect(stdout).toContain("`hivemind uninstall --global` takes it out there")
  })

  test("refuses a config that broke since, and keeps the record", async () => {
    await cli(box, INIT)
    await put("opencode.json", "{")
    expect((await cli(box, UNINSTALL)).code).toBe(1)
    expect(await read("opencode.json")).toBe("{")
    expect(existsSync(inProject(".hivemind/system/install.json"))).toBe(true)
  })

  test("after init, gives back the same bytes for any config", async () => {
    await fc.assert(
      fc.asyncProperty(
        jsoncConfig(),
        fc.constantFrom("opencode.json", ".opencode/opencode.jsonc"),
        async (text, file) => {
          await put(file, text)
          expect(json(await cli(box, [...INIT, "--json"]))).toMatchObject({
            status: "success",
            changed: true,
          })
          expect(await read(file)).not.toBe(text)
          await cli(box, UNINSTALL)
          expect(await read(file)).toBe(text)
          await rm(inProject(file))
        },
      ),
      { numRuns: 150, seed: 1 },
    )
  })
})

describe("the command line", () => {
  test("refuses to ask without a terminal, and changes nothing", async () => {
    for (const args of [["init"], ["init", "--global"]]) {
      const { code, stdout, stderr } = await cli(box, args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain("do this instead: Pass `--yes`")
    }
    expect(await readdir(box.project)).toEqual([])
  })

  test.each([
    [["init", "--yse"], "Unknown option '--yse'.", "Did you mean --yes?"],
    [["int"], "Unknown command 'int'.", "Did you mean init?"],
    [["init", "extra"], "Too many arguments for 'init'. Expected 0 arguments but got 1.", "init --help"],
    [["init", "--dir"], "Option '--dir <folder>' argument missing.", "init --help"],
    [["init", "--dir", "nowhere"], "is not a folder.", "--dir"],
    [["--nonsense"], "Unknown option '--nonsense'.", "hivemind --help"],
  ])("%j is wrong usage, for people and for programs", async (args, what, instead) => {
    const human = await cli(box, args)
    expect({ code: human.code, stdout: human.stdout }).toEqual({ code: 2, stdout: "" })
    expect(human.stderr).toContain(what)
    expect(human.stderr).toContain(instead)
    if (args.at(-1) === "--dir") return
    const program = await cli(box, [...args, "--json"])
    expect({ code: program.code, stderr: program.stderr }).toEqual({ code: 2, stderr: "" })
    expect(json(program)).toMatchObject({ status: "error", code: "invalid_argument" })
  })

  test("--help names every command and exit code; a command's help names its options", async () => {
    const { code, stdout } = await cli(box, ["--help"])
    expect(code).toBe(0)
    for (const part of ["init", "uninstall", "Exit codes:", "2  wrong usage"]) expect(stdout).toContain(part)
    expect((await cli(box, [])).stdout).toBe(stdout)
    const help = await cli(box, ["init", "--help"])
    for (const option of ["--global", "--yes", "--json", "--dir", "--plugin"])
      expect(help.stdout).toContain(option)
    expect((await cli(box, ["help", "init"])).stdout).toBe(help.stdout)
    expect(await cli(box, ["help", "inti"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean init?"),
    })
  })

  test("the nearest project upwards is found, or it says to run init", async () => {
    await expect(requireHive(box.project)).rejects.toMatchObject({ code: "no_project" })
    await cli(box, INIT)
    await mkdir(inProject("src"))
    expect((await requireHive(inProject("src"))).home).toBe(box.project)
  })

  test("the program itself: version, exit codes, no colours in a pipe", async () => {
    const version = await cliProcess(box, ["--version"])
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
    const refused = await cliProcess(box, ["init"])
    expect(refused.code).toBe(2)
    expect(refused.stderr).not.toContain("\u001b")
    expect(await cliProcess(box, INIT)).toMatchObject({ code: 0, stderr: "" })
    expect((await cliProcess(box, ["uninstall", "--yes", "--purge"])).code).toBe(0)
    expect(await readdir(box.project)).toEqual([])
  })

  test("a reader that goes away early is no error", async () => {
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
})

function json({ stdout }: { stdout: string }): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>
}

async function snapshot(dir: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isDirectory()) files[path] = await readFile(path, "base64")
  }
  return files
}

describe("a config of OpenCode 2", () => {
  const theirs = '{\n  // of version 2\n  "plugins": [{ "package": "a", "options": {} }, "b"]\n}\n'

  test("gets the key that both versions read, and comes back byte for byte", async () => {
    await put("opencode.jsonc", theirs)
    expect((await cli(box, INIT)).code).toBe(0)
    expect(parse(await read("opencode.jsonc"))).toEqual({
      plugins: [{ package: "a", options: {} }, "b"],
      plugin: [NAME],
    })
    await cli(box, ["uninstall", "--yes"])
    expect(await read("opencode.jsonc")).toBe(theirs)
  })

  test("that lists HiveMind under its own key has it already, and uninstall takes out that entry alone", async () => {
    await put(
      "opencode.jsonc",
      theirs.replace('"b"', `{ "package": "${NAME}", "options": { "split": "off" } }`),
    )
    expect((await cli(box, INIT)).stdout).toContain("opencode.jsonc: has it already")
    await cli(box, ["uninstall", "--yes"])
    expect(parse(await read("opencode.jsonc"))).toEqual({ plugins: [{ package: "a", options: {} }] })
    expect(await read("opencode.jsonc")).toContain("// of version 2")
  })
})
