import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { parse } from "jsonc-parser"
import { expect, it } from "vitest"
import { addServer, hasServer, MCP_CLIENTS, removeServer } from "../../src/cli/install/mcp-clients.ts"
import { ownPackage, serverCommand } from "../../src/cli/install/own-package.ts"
import { cli, useSandbox } from "./harness.ts"
import { jsoncConfig } from "./install/jsonc-config.ts"

const box = useSandbox()

const path = (file: string) => join(box.project, file)
const read = (file: string) => readFile(path(file), "utf8")
async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(path(file)), { recursive: true })
  await writeFile(path(file), text)
}
const init = (client: string) => cli(box, ["init", "--yes", "--mcp", client])

/** The file's content before. */
const FILES: Record<string, string> = {
  claude: '{"mcpServers":{"github":{"command":"npx","args":["-y","gh"]}}}',
  cursor: '{\n\t"mcpServers": {}\n}\n',
  vscode:
    '{\r\n  // ours\r\n  "inputs": [],\r\n  "servers": {\r\n    "a": { "type": "stdio", "command": "a" },\r\n  },\r\n}\r\n',
  codex: 'model = "x"\n\n[mcp_servers.docs]\ncommand = "docs"\n\n[profiles.fast]\nmodel = "y"',
  gemini: '{ "theme": "dark" }',
}

it.each(MCP_CLIENTS)("$name: the entry goes in, and comes out byte for byte", async ({ name, file }) => {
  const before = FILES[name] ?? ""
  await put(file, before)
  const set = await init(name)
  expect(set).toMatchObject({ code: 0, stderr: "" })
  const after = await read(file)
  expect(after).toContain("main.js")
  expect(after).not.toBe(before)
  expect(existsSync(path("opencode.json"))).toBe(false)
  expect((await init(name)).stdout).toContain("Nothing to do")
  expect(await read(file)).toBe(after)
  expect((await cli(box, ["uninstall", "--yes", "--mcp", name])).code).toBe(0)
  expect(await read(file)).toBe(before)
})

it.each(MCP_CLIENTS)(
  "$name: a file that init made is gone after uninstall, with its folder",
  async (client) => {
    await init(client.name)
    expect(existsSync(path(client.file))).toBe(true)
    await cli(box, ["uninstall", "--yes"])
    expect(existsSync(path(client.file))).toBe(false)
    if (client.file.includes("/")) expect(existsSync(dirname(path(client.file)))).toBe(false)
  },
)

it("the entries are what the clients read", async () => {
  for (const { name } of MCP_CLIENTS) await init(name)
  const { command, args } = serverCommand(ownPackage(), box.project)
  expect(parse(await read(".mcp.json"))).toEqual({ mcpServers: { hivemind: { command, args } } })
  expect(parse(await read(".cursor/mcp.json"))).toEqual({ mcpServers: { hivemind: { command, args } } })
  expect(parse(await read(".gemini/settings.json"))).toEqual({ mcpServers: { hivemind: { command, args } } })
  expect(parse(await read(".vscode/mcp.json"))).toEqual({
    servers: { hivemind: { type: "stdio", command, args } },
  })
  expect(await read(".codex/config.toml")).toBe(
    `[mcp_servers.hivemind]\ncommand = "node"\nargs = ${JSON.stringify(args)}\n`,
  )
  expect(existsSync(args[0] ?? "")).toBe(true)
})

it("what the project has installed itself is named so that it works in every clone", () => {
  const dir = "/p/node_modules/hivemind-opencode"
  expect(serverCommand({ dir }, "/p")).toEqual({
    command: "npx",
    // Never a package of another author from the registry.
    args: ["--no-install", "hivemind", "mcp"],
    isShared: true,
  })
  expect(serverCommand({ dir }, "/q").isShared).toBe(false)
})

it("of a file that was changed since, only our entry goes", async () => {
  await put(".mcp.json", '{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n')
  await init("claude")
  await writeFile(path(".mcp.json"), (await read(".mcp.json")).replace('"a": {', '"b": {}, "a": {'))
  await cli(box, ["uninstall", "--yes"])
  expect(parse(await read(".mcp.json"))).toEqual({ mcpServers: { b: {}, a: { command: "a" } } })

  await put(".codex/config.toml", 'model = "x"\n')
  await init("codex")
  await writeFile(
    path(".codex/config.toml"),
    `${await read(".codex/config.toml")}\n[mcp_servers.hivemind.env]\nA = "1"\n\n[other]\nb = 1\n`,
  )
  await cli(box, ["uninstall", "--yes"])
  expect(await read(".codex/config.toml")).toBe('model = "x"\n\n[other]\nb = 1\n')
})

it("one client's entry can go while the others and the plugin stay", async () => {
  await cli(box, ["init", "--yes", "--team", "--plugin", "hivemind-opencode"])
  await init("claude")
  await init("cursor")
  await cli(box, ["uninstall", "--yes", "--mcp", "claude"])
  expect(existsSync(path(".mcp.json"))).toBe(false)
  expect(existsSync(path(".cursor/mcp.json"))).toBe(true)
  expect(existsSync(path("opencode.json"))).toBe(true)
  await cli(box, ["uninstall", "--yes"])
  expect(existsSync(path(".cursor"))).toBe(false)
  expect(existsSync(path("opencode.json"))).toBe(false)
})

it.each([
  [".mcp.json", "claude", '{"mcpServers": [', "not valid JSON"],
  [".mcp.json", "claude", '{"mcpServers": []}', "not an object"],
  [".mcp.json", "claude", "[]", "not an object"],
  [".codex/config.toml", "codex", "mcp_servers = { a = { command = 'a' } }\n", "inline"],
])("%s of %s that cannot be edited safely is left alone: %s", async (file, client, text, why) => {
  await put(file, text)
  const { code, stderr } = await init(client)
  expect(code).not.toBe(0)
  expect(stderr).toContain(why)
  expect(await read(file)).toBe(text)
})

it("an unknown client is answered with those that are known", async () => {
  const { code, stderr } = await init("emacs")
  expect(code).toBe(2)
  expect(stderr).toContain("claude, cursor, vscode, codex, gemini")
  expect((await cli(box, ["init", "--yes", "--mcp", "claude", "--global"])).code).toBe(2)
})

it("in any JSON with comments, only our entry is added and taken away", () => {
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
  await put(".vscode/mcp.json", '{ "servers": ')
  expect((await cli(box, ["uninstall", "--yes"])).code).toBe(0)
  expect(existsSync(path(".mcp.json"))).toBe(false)
  await put(".vscode/mcp.json", '{ "servers": { "hivemind": ')
  expect((await cli(box, ["uninstall", "--yes"])).code).not.toBe(0)
})

it("a comment before the table behind ours stays", () => {
  const ours = addServer('model = "x"\n', "toml", { command: "a", args: [] }, "f").after
  const behind = '\n# mine\n[mcp_servers.mine]\ncommand = "b"\n'
  const left = removeServer(ours + behind, "toml", "f", false)
  expect(left).toContain(behind)
  expect(left).not.toContain("hivemind")
})

it("doctor asks for no OpenCode where only other agents are set up, and for its plugin where that is too", async () => {
  await init("claude")
  const alone = await cli(box, ["doctor"])
  expect(alone).toMatchObject({ code: 0 })
  expect(alone.stdout).toMatch(/ok +mcp clients +\.mcp\.json/)
  expect(alone.stdout).not.toMatch(/opencode/i)
  await cli(box, ["init", "--yes"])
  expect((await cli(box, ["doctor", "--no-start"])).stdout).toMatch(/plugin entry/)
})
