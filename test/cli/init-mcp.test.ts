import { existsSync } from "node:fs"
import { dirname } from "node:path"
import fc from "fast-check"
import { parse } from "jsonc-parser"
import { expect, it } from "vitest"
import { addServer, hasServer, MCP_CLIENTS, removeServer } from "../../src/cli/install/mcp-clients.ts"
import { ownPackage, serverCommand } from "../../src/cli/install/own-package.ts"
import { cli, projectFiles, useSandbox } from "./harness.ts"
import { jsoncConfig } from "./install/jsonc-config.ts"

const box = useSandbox()
const { at, has, read, put } = projectFiles(box)
const init = (client: string) => cli(box, `init --yes --mcp ${client}`)
const uninstall = () => cli(box, "uninstall --yes")

const FILES: Record<string, string> = {
  claude: '{"mcpServers":{"github":{"command":"npx","args":["-y","gh"]}}}',
  cursor: '{\n\t"mcpServers": {}\n}\n',
  vscode:
    '{\r\n  // ours\r\n  "inputs": [],\r\n  "servers": {\r\n    "a": { "type": "stdio", "command": "a" },\r\n  },\r\n}\r\n',
  codex: 'model = "x"\n\n[mcp_servers.docs]\ncommand = "docs"\n\n[profiles.fast]\nmodel = "y"',
  gemini: '{ "theme": "dark" }',
}

it.each(MCP_CLIENTS)(
  "$name: uninstall restores the file byte for byte, or deletes it if init created it",
  async ({ name, file }) => {
    await init(name)
    expect(has(file)).toBe(true)
    await uninstall()
    expect(has(file)).toBe(false)
    if (file.includes("/")) expect(existsSync(dirname(at(file)))).toBe(false)

    const before = FILES[name] ?? ""
    put(file, before)
    expect(await init(name)).toMatchObject({ code: 0, stderr: "" })
    const after = read(file)
    expect(after).toContain("main.js")
    expect(after).not.toBe(before)
    expect(has("opencode.json")).toBe(false)
    expect((await init(name)).stdout).toContain("Nothing to do")
    expect(read(file)).toBe(after)
    expect((await cli(box, `uninstall --yes --mcp ${name}`)).code).toBe(0)
    expect(read(file)).toBe(before)
  },
)

it("writes entries that the clients can read", async () => {
  for (const { name } of MCP_CLIENTS) await init(name)
  const { command, args } = serverCommand(ownPackage(), box.project)
  const mcpServers = { hivemind: { command, args } }
  for (const file of [".mcp.json", ".cursor/mcp.json", ".gemini/settings.json"])
    expect(parse(read(file)), file).toEqual({ mcpServers })
  const servers = { hivemind: { type: "stdio", command, args } }
  expect(parse(read(".vscode/mcp.json"))).toEqual({ servers })
  const table = `[mcp_servers.hivemind]\ncommand = "node"\nargs = ${JSON.stringify(args)}\n`
  expect(read(".codex/config.toml")).toBe(table)
  expect(existsSync(args[0] ?? "")).toBe(true)
})

it("if the project has installed HiveMind, the entry works in every clone", () => {
  const dir = "/p/node_modules/hivemind-opencode"
  // Never a package of another author from the registry.
  const args = ["--no-install", "hivemind", "mcp"]
  expect(serverCommand({ dir }, "/p")).toEqual({ command: "npx", args, isShared: true })
  expect(serverCommand({ dir }, "/q").isShared).toBe(false)
})

it("uninstall removes only HiveMind's entry from a file that was changed since", async () => {
  put(".mcp.json", '{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n')
  put(".codex/config.toml", 'model = "x"\n')
  await init("claude")
  await init("codex")
  put(".mcp.json", read(".mcp.json").replace('"a": {', '"b": {}, "a": {'))
  const more = '\n[mcp_servers.hivemind.env]\nA = "1"\n\n[other]\nb = 1\n'
  put(".codex/config.toml", read(".codex/config.toml") + more)
  await uninstall()
  expect(parse(read(".mcp.json"))).toEqual({ mcpServers: { b: {}, a: { command: "a" } } })
  expect(read(".codex/config.toml")).toBe('model = "x"\n\n[other]\nb = 1\n')
})

it("one client's entry can be removed while the others and the plugin stay", async () => {
  await cli(box, "init --yes --team --plugin hivemind-opencode")
  await init("claude")
  await init("cursor")
  await cli(box, "uninstall --yes --mcp claude")
  expect([".mcp.json", ".cursor/mcp.json", "opencode.json"].map(has)).toEqual([false, true, true])
  await uninstall()
  expect([".cursor", "opencode.json"].map(has)).toEqual([false, false])
})

it.each([
  [".mcp.json", "claude", '{"mcpServers": [', "not valid JSON"],
  [".mcp.json", "claude", '{"mcpServers": []}', "not an object"],
  [".mcp.json", "claude", "[]", "not an object"],
  [".codex/config.toml", "codex", "mcp_servers = { a = { command = 'a' } }\n", "inline"],
])("%s of %s that cannot be edited safely is left alone: %s", async (file, client, text, why) => {
  put(file, text)
  const { code, stderr } = await init(client)
  expect(code).not.toBe(0)
  expect(stderr).toContain(why)
  expect(read(file)).toBe(text)
})

it.each([
  ["--mcp emacs", "claude, cursor, vscode, codex, gemini"],
  ["--mcp claude --global", "cannot be used with option '--global'"],
  ["--mcp claude --panel", "'--mcp <client>' cannot be used with option '--panel'"],
])("init %s is wrong usage", async (args, words) => {
  const { code, stderr } = await cli(box, `init --yes ${args}`)
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
})

it("in any JSON with comments, only HiveMind's entry is added and removed", () => {
  const format = { json: "mcpServers" }
  const start = { command: "node", args: ["x", "mcp"] }
  fc.assert(
    fc.property(jsoncConfig(), (text) => {
      const { after } = addServer(text, format, start, "f")
      expect(hasServer(after, format, "f")).toBe(true)
      const without = removeServer(after, format, "f", true)
      expect(hasServer(without, format, "f")).toBe(false)
      const { mcpServers: _, ...rest } = parse(without) ?? {}
      expect(rest).toEqual(parse(text) ?? {})
    }),
    { numRuns: 200, seed: 1 },
  )
})

it("a client's file that cannot be read does not prevent uninstalling, unless our entry may be in it", async () => {
  await init("claude")
  put(".vscode/mcp.json", '{ "servers": ')
  expect((await uninstall()).code).toBe(0)
  expect(has(".mcp.json")).toBe(false)
  put(".vscode/mcp.json", '{ "servers": { "hivemind": ')
  expect((await uninstall()).code).not.toBe(0)
})

it("keeps a comment before the TOML table that follows HiveMind's", () => {
  const ours = addServer('model = "x"\n', "toml", { command: "a", args: [] }, "f").after
  const behind = '\n# mine\n[mcp_servers.mine]\ncommand = "b"\n'
  const left = removeServer(ours + behind, "toml", "f", false)
  expect(left).toContain(behind)
  expect(left).not.toContain("hivemind")
})

it("doctor requires OpenCode only if it is set up beside other agents", async () => {
  await init("claude")
  const alone = await cli(box, "doctor")
  expect(alone).toMatchObject({ code: 0, stdout: expect.stringMatching(/ok +mcp clients +\.mcp\.json/) })
  expect(alone.stdout).not.toMatch(/opencode/i)
  await cli(box, "init --yes")
  expect((await cli(box, "doctor --no-start")).stdout).toMatch(/plugin entry/)
})
