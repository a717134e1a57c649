import { deniedTo, type Role } from "../../gate/roles.ts"
import { SPLIT_COMMAND } from "../../turns/between-turns.ts"
import { AGENTS, COMMANDS } from "../opencode/agents.ts"
import { DASHBOARD_COMMAND } from "../opencode/dashboard.ts"
import { CALL_FIELDS, HOOK_TOOL } from "./hook-tool.ts"

/** The files of a folder that an agent installs, by their paths. The build writes them to `dist/agents/<agent>/`. */
export type Bundle = Readonly<Record<string, string>>

export function bundles(version: string): Readonly<Record<string, Bundle>> {
  return { claude: claudeBundle(version) }
}

/** A plugin of Claude Code, and the marketplace that offers it. It runs from where it lies, beside the command line. */
function claudeBundle(version: string): Bundle {
  const about = { name: PLUGIN, description: ABOUT }
  const agents = Object.entries(AGENTS).map(([name, { description, role, prompt }]) => [
    `agents/${name}.md`,
    markdown(
      { name, description, disallowedTools: deniedTools(role) },
      prompt.replace("the task tool", "the Agent tool"),
    ),
  ])
  const commands = shownCommands().map(([name, { description, template }]) => [
    `commands/${name}.md`,
    markdown({ description }, template),
  ])
  return {
    ".claude-plugin/marketplace.json": json({
      name: PLUGIN,
      owner: { name: "HiveMind" },
      plugins: [{ ...about, source: "./" }],
    }),
    ".claude-plugin/plugin.json": json({ ...about, version }),
    ".mcp.json": json({
      mcpServers: { hivemind: { command: "node", args: [MAIN, "mcp", "--agent", "claude"] } },
    }),
    "hooks/hooks.json": json({ hooks: claudeHooks() }),
    ...Object.fromEntries([...agents, ...commands]),
  }
}

/** Around calls the running server is asked, which takes no process; what comes before the server or after it is a command. */
function claudeHooks(): Record<string, unknown> {
  const command = { type: "command", command: "node", args: [MAIN, "hook", "claude"] }
  const call = (timeout: number) => ({
    ...{ type: "mcp_tool", server: `plugin:${PLUGIN}:hivemind`, tool: HOOK_TOOL, timeout },
    input: Object.fromEntries(CALL_FIELDS.map((field) => [field, `\${${field}}`])),
  })
  const each = (events: readonly string[], hook: unknown) =>
    events.map((event) => [event, [{ hooks: [hook] }]] as const)
  return Object.fromEntries([
    ...each(["SessionStart", "UserPromptSubmit", "SubagentStart", "PreCompact"], {
      ...command,
      timeout: SHORT_S,
    }),
    ...each(["PreToolUse", "PostToolUse", "PostToolUseFailure"], call(LONG_S)),
    ...each(["PostToolBatch"], call(SHORT_S)),
    ...each(["Stop", "SubagentStop", "SessionEnd"], { ...command, timeout: SHORT_S }),
  ])
}

function deniedTools(role: Role): string | undefined {
  const tools = deniedTo[role].uses.flatMap((use) => CLAUDE_TOOLS[use])
  return tools.length === 0 ? undefined : tools.join(", ")
}

/** All but those that need a new session, or an event for the command. */
function shownCommands() {
  return Object.entries(COMMANDS).filter(([name]) => name !== SPLIT_COMMAND && name !== DASHBOARD_COMMAND)
}

function markdown(head: Record<string, string | undefined>, body: string): string {
  const lines = Object.entries(head).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${JSON.stringify(value)}`,
  )
  return ["---", ...lines, "---", "", body, ""].join("\n")
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

const PLUGIN = "hivemind"
const ABOUT = "Keeps the agent on plan: memory, rules, checked tasks, and an undo for every call."
// biome-ignore lint/suspicious/noTemplateCurlyInString: the agent puts the folder there.
const MAIN = "${CLAUDE_PLUGIN_ROOT}/../../cli/main.js"
// In seconds. Our own limits are shorter; a snapshot may take longer.
const SHORT_S = 10
const LONG_S = 30
const CLAUDE_TOOLS = {
  write: ["Write", "Edit", "NotebookEdit"],
  shell: ["Bash"],
  delegate: ["Agent"],
} as const
