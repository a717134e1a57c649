import { join } from "node:path"
import { undoEdit } from "./config-change.ts"
import { readConfigFile } from "./config-file.ts"
import type { InstallPlan } from "./install-plugin.ts"
import { readRecord, recordedFile } from "./install-record.ts"
import { MCP_CLIENTS, type McpClient } from "./mcp-clients.ts"
import { addServer, hasServer, removeServer, type ServerCommand } from "./mcp-entry.ts"
import type { ConfigLocation } from "./opencode-config.ts"
import type { Removal } from "./remove-plugin.ts"

/** What `init --mcp` would do to a client's file. Reads only; throws on one that cannot be edited safely. */
export async function planMcpInstall(
  { name, file: path, format }: McpClient,
  { projectDir }: ConfigLocation,
  start: ServerCommand,
): Promise<InstallPlan> {
  const file = join(projectDir, path)
  const plan = {
    scope: "project" as const,
    specifier: [start.command, ...start.args].join(" "),
    file,
    client: name,
  }
  const text = await readConfigFile(file)
  if (text !== undefined && hasServer(text, format, file))
    return { ...plan, before: undefined, after: undefined, madeKey: false }
  const { command, args } = start
  return { ...plan, before: text, ...addServer(text, format, { command, args }, file) }
}

/** The clients' files of a project that have our entry. One that cannot be read has none that counts. */
export async function mcpEntries({ projectDir }: Pick<ConfigLocation, "projectDir">): Promise<string[]> {
  const files: string[] = []
  for (const { file: path, format } of MCP_CLIENTS) {
    const file = join(projectDir, path)
    try {
      const text = await readConfigFile(file)
      if (text !== undefined && hasServer(text, format, file)) files.push(path)
    } catch {
      // Its own client says what is wrong with it.
    }
  }
  return files
}

/** What uninstall would do to the files of these clients: those that have our entry. */
export async function planMcpRemoval(
  { projectDir, hiveHome }: ConfigLocation,
  clients: readonly McpClient[] = MCP_CLIENTS,
): Promise<Removal[]> {
  const changes = await readRecord(hiveHome)
  const removals: Removal[] = []
  for (const { name, file: path, format } of clients) {
    const file = join(projectDir, path)
    const text = await readConfigFile(file)
    // One that does not name us is left alone, also where it cannot be read.
    if (text === undefined || !text.includes("hivemind")) continue
    const change = changes.find((each) => each.client === name && recordedFile(hiveHome, each) === file)
    const base = { file, before: text, madeFolder: change?.made_folder ?? null }
    const original = change === undefined ? undefined : undoEdit(change, text)
    if (original === null) removals.push({ ...base, change: "deleted", after: "" })
    else if (original !== undefined) removals.push({ ...base, change: "restored", after: original })
    else if (hasServer(text, format, file)) {
      const after = removeServer(text, format, file, change?.made_key ?? true)
      // Where init was run elsewhere, a file that is left with nothing is one that it made.
      const isOurs = change === undefined && /^\s*(\{\s*\})?\s*$/.test(after)
      removals.push({ ...base, change: isOurs ? "deleted" : "entry_removed", after: isOurs ? "" : after })
    }
  }
  return removals
}
