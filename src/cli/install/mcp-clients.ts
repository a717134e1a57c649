import { join, sep } from "node:path"
import { HiveError } from "../../shared/error.ts"
import type { ServerCommand, ServerFormat } from "./mcp-entry.ts"

export interface McpClient {
  name: string
  title: string
  /** Where it looks for servers of a project. */
  file: string
  format: ServerFormat
  /** What else its user has to do. */
  note?: string
}

/** The clients that `init --mcp` knows, each with its own file of the project (as its documentation of 2026 has it). */
export const MCP_CLIENTS: readonly McpClient[] = [
  { name: "claude", title: "Claude Code", file: ".mcp.json", format: { json: "mcpServers" } },
  { name: "cursor", title: "Cursor", file: ".cursor/mcp.json", format: { json: "mcpServers" } },
  { name: "vscode", title: "VS Code", file: ".vscode/mcp.json", format: { json: "servers", type: "stdio" } },
  {
    name: "codex",
    title: "Codex",
    file: ".codex/config.toml",
    format: "toml",
    note: "Codex reads it only in a project that you have told it to trust.",
  },
  { name: "gemini", title: "Gemini CLI", file: ".gemini/settings.json", format: { json: "mcpServers" } },
]

export function mcpClientNamed(name: string): McpClient {
  const found = MCP_CLIENTS.find((client) => client.name === name)
  if (found !== undefined) return found
  const names = MCP_CLIENTS.map((client) => client.name).join(", ")
  throw new HiveError({
    code: "invalid_argument",
    what: `\`--mcp ${name}\` names no client that HiveMind knows.`,
    why: `It knows the configuration of ${names}.`,
    use_instead: "Name one of these, or let your client start `hivemind mcp` in the project's folder.",
    evidence: `--mcp ${name}`,
  })
}

/**
 * How a client starts us: what the project itself has installed, which holds for everybody who works on it; else from where
 * this code runs, which holds on this machine.
 */
export function serverCommand(
  { dir }: { dir: string },
  projectDir: string,
): ServerCommand & { isShared: boolean } {
  if (dir.startsWith(join(projectDir, "node_modules") + sep))
    // Where it is not installed yet, npx would fetch whatever the registry has under that name.
    return { command: "npx", args: ["--no-install", "hivemind", "mcp"], isShared: true }
  return { command: "node", args: [join(dir, "dist", "cli", "main.js"), "mcp"], isShared: false }
}
