import { join } from "node:path"
import { readConfigFile } from "./config-file.ts"
import type { ConfigLocation } from "./find-opencode-config.ts"
import { brokenConfig, editJsonc, parseJsonc, valueAt } from "./jsonc.ts"
import type { ServerCommand } from "./own-package.ts"
import type { InstallPlan } from "./write-config.ts"

export interface McpClient {
  name: string
  title: string
  file: string
  format: { json: string; type?: "stdio" } | "toml"
  note?: string
}

export const MCP_CLIENTS: readonly McpClient[] = [
  { name: "claude", title: "Claude Code", file: ".mcp.json", format: { json: "mcpServers" } },
  { name: "cursor", title: "Cursor", file: ".cursor/mcp.json", format: { json: "mcpServers" } },
  { name: "vscode", title: "VS Code", file: ".vscode/mcp.json", format: { json: "servers", type: "stdio" } },
  {
    name: "codex",
    title: "Codex",
    file: ".codex/config.toml",
    format: "toml",
    note: "Codex reads the file only in a project that you have marked as trusted.",
  },
  { name: "gemini", title: "Gemini CLI", file: ".gemini/settings.json", format: { json: "mcpServers" } },
]

export const CLIENT_NAMES = MCP_CLIENTS.map(({ name }) => name)

/** Plans the edit that `init --mcp` makes to a client's file. Reads only; throws on a file that cannot be edited safely. */
export async function planMcpInstall(
  { name, file: path, format }: McpClient,
  { projectDir }: ConfigLocation,
  { command, args }: ServerCommand,
): Promise<InstallPlan> {
  const file = join(projectDir, path)
  const plan = { scope: "project" as const, specifier: [command, ...args].join(" "), file, client: name }
  const text = await readConfigFile(file)
  if (text !== undefined && hasServer(text, format, file))
    return { ...plan, before: undefined, after: undefined, madeKey: false }
  return { ...plan, before: text, ...addServer(text ?? "", format, { command, args }, file) }
}

/** The config files of MCP clients in this project that contain our entry. Unreadable files are left out. */
export async function mcpEntries({ projectDir }: Pick<ConfigLocation, "projectDir">): Promise<string[]> {
  const files: string[] = []
  for (const { file: path, format } of MCP_CLIENTS) {
    const file = join(projectDir, path)
    try {
      const text = await readConfigFile(file)
      if (text !== undefined && hasServer(text, format, file)) files.push(path)
    } catch {
      // The client that owns the file reports its error.
    }
  }
  return files
}

export function addServer(
  text: string,
  format: McpClient["format"],
  start: Start,
  file: string,
): { after: string; madeKey: boolean } {
  if (format === "toml") return { after: addTable(text, start, file), madeKey: false }
  const { json: key, type } = format
  const entry = { ...(type === undefined ? {} : { type }), ...start }
  const madeKey = valueAt(parseJsonc(text, file).root, key) === undefined
  return { after: editJsonc(text, [key, SERVER], { set: entry }, file), madeKey }
}

export function hasServer(text: string, format: McpClient["format"], file: string): boolean {
  if (format === "toml") return OUR_TABLE.test(text)
  return valueAt(valueAt(parseJsonc(text, file).root, format.json), SERVER) !== undefined
}

/** Removes HiveMind's server. `dropEmpty` also removes a list of servers that is then empty, unless the file has comments. */
export function removeServer(
  text: string,
  format: McpClient["format"],
  file: string,
  dropEmpty: boolean,
): string {
  if (format === "toml") return withoutTable(text)
  const { json: key } = format
  const isAlone = valueAt(parseJsonc(text, file).root, key)?.children?.length === 1
  const dropsKey = dropEmpty && isAlone && !/\/\/|\/\*/.test(text)
  return editJsonc(text, dropsKey ? [key] : [key, SERVER], { remove: true }, file)
}

/** Adds HiveMind's table at the end of the file, because a TOML table ends only where the next one begins. */
function addTable(text: string, { command, args }: Start, file: string): string {
  const inline = text.search(/^\s*mcp_servers\s*=/m)
  const why = "Its `mcp_servers` is an inline table, to which HiveMind cannot add a server."
  if (inline >= 0) throw brokenConfig(file, why, text, inline)
  // A JSON string is also a valid TOML string.
  const table = `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
  if (text === "") return table
  const eol = text.includes("\r\n") ? "\r\n" : "\n"
  return `${text}${text.endsWith("\n") ? "" : eol}${eol}${table.replaceAll("\n", eol)}`
}

/** Removes HiveMind's TOML table but keeps its comments: a comment at its end may belong to the next table. */
function withoutTable(text: string): string {
  let isOurs = false
  const kept = text.split(/(?<=\n)/).filter((line) => {
    if (/^\s*\[/.test(line)) isOurs = OUR_TABLE.test(line)
    return !isOurs || /^\s*#/.test(line)
  })
  return kept.join("").replace(/\n(?:\r?\n)+$/, "\n")
}

type Start = Pick<ServerCommand, "command" | "args">
const SERVER = "hivemind"
const OUR_TABLE = /^[ \t]*\[mcp_servers\.(?:hivemind|"hivemind")(?:\.[^\]]+)?\]/m
