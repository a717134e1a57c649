import { deniedTo, type Role } from "../../gate/roles.ts"
import { SPLIT_COMMAND } from "../../turns/between-turns.ts"
import { AGENTS, COMMANDS } from "../opencode/agents.ts"
import { DASHBOARD_COMMAND } from "../opencode/dashboard.ts"
import { CALL_FIELDS, HOOK_TOOL } from "./hook-tool.ts"

export type Bundle = Readonly<Record<string, string>>

export function bundles(version: string): Readonly<Record<string, Bundle>> {
  return { claude: claudeBundle(version), codex: codexBundle(version), gemini: geminiBundle(version) }
}

/** A Claude Code plugin with its marketplace. Claude Code runs it from this package's folder, next to the CLI. */
function claudeBundle(version: string): Bundle {
  const about = { name: PLUGIN, description: ABOUT }
  const agents = Object.entries(AGENTS).map(([name, { description, role, prompt }]) => [
    `agents/${name}.md`,
    markdown(
      { name, description, disallowedTools: deniedTools(role) },
      prompt.replace("the host's task tool", "the Agent tool"),
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

/** Hooks around tool calls ask the running MCP server, so no process is started for them. */
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
    ["PreToolUse", [{ hooks: [call(LONG_S), { type: "command", command: STAND_IN, timeout: LONG_S }] }]],
    ...each(["PostToolUse", "PostToolUseFailure"], call(LONG_S)),
    ...each(["PostToolBatch"], call(SHORT_S)),
    ...each(["Stop", "SubagentStop", "SessionEnd"], { ...command, timeout: SHORT_S }),
  ])
}

function deniedTools(role: Role): string | undefined {
  const tools = deniedTo[role].uses.flatMap((use) => CLAUDE_TOOLS[use])
  return tools.length === 0 ? undefined : tools.join(", ")
}

/** Codex trusts a hook's exact bytes: they must not change. */
function codexBundle(version: string): Bundle {
  const hook = (fields: readonly string[], timeout: number, ...standIns: object[]) => {
    const input = Object.fromEntries([...CODEX_FIELDS, ...fields].map((field) => [field, `\${${field}}`]))
    return [{ hooks: [{ type: "mcp_tool", server: PLUGIN, tool: HOOK_TOOL, timeout, input }, ...standIns] }]
  }
  const standIn = (timeout: number, agentPid = "") => ({
    ...{ type: "command", command: `sh "${CODEX_STAND_IN}" ${agentPid}`.trim(), timeout },
    // There is no stand-in on Windows.
    commandWindows: "exit 0",
  })
  const call = ["tool_name", "tool_input", "tool_use_id"]
  const hooks = {
    SessionStart: [...hook(["source"], SHORT_S), { matcher: "compact", hooks: [standIn(SHORT_S, "$PPID")] }],
    // Once in a turn the stand-in starts in any case: it finds out whether the server hangs.
    UserPromptSubmit: hook(["prompt", "turn_id"], SHORT_S, standIn(SHORT_S)),
    PreToolUse: hook(call, LONG_S, standIn(LONG_S, "$PPID")),
    PostToolUse: hook([...call, "tool_response"], LONG_S),
    SubagentStop: hook(
      ["agent_id", "agent_type", "agent_transcript_path", "last_assistant_message"],
      SHORT_S,
    ),
    Stop: hook(["last_assistant_message"], SHORT_S),
  }
  const plugins = [
    {
      name: PLUGIN,
      source: { source: "local", path: "./plugin" },
      policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
      category: "Productivity",
    },
  ]
  return {
    ".agents/plugins/marketplace.json": json({
      name: PLUGIN,
      interface: { displayName: "HiveMind" },
      plugins,
    }),
    "plugin/.codex-plugin/plugin.json": json({
      ...{ name: PLUGIN, version, description: ABOUT },
      hooks: "./hooks/hooks.json",
    }),
    "plugin/hooks/hooks.json": json({ hooks }),
    "plugin/hooks/stand-in.sh": CODEX_STAND_IN_SCRIPT,
  }
}

function geminiBundle(version: string): Bundle {
  const command = (timeout: number) => [
    { hooks: [{ name: PLUGIN, type: "command", command: `node "${EXTENSION_MAIN}" hook gemini`, timeout }] },
  ]
  const hooks = {
    ...{ BeforeAgent: command(SHORT_S * 1000), AfterAgent: command(SHORT_S * 1000) },
    ...{ BeforeTool: command(LONG_S * 1000), AfterTool: command(LONG_S * 1000) },
    SessionEnd: command(SHORT_S * 1000),
  }
  const agents = Object.entries(AGENTS).map(([name, { description, prompt }]) => [
    `agents/${name}.md`,
    markdown({ name, description }, prompt.replace("the host's task tool", "invoke_agent")),
  ])
  const commands = shownCommands().map(([name, { description = "", template }]) => [
    `commands/${name}.toml`,
    `description = ${JSON.stringify(description)}\nprompt = ${JSON.stringify(template.replaceAll("$ARGUMENTS", "{{args}}"))}\n`,
  ])
  return {
    "gemini-extension.json": json({
      ...{ name: PLUGIN, version, description: ABOUT },
      mcpServers: { [PLUGIN]: { command: "node", args: [EXTENSION_MAIN, "mcp", "--agent", "gemini"] } },
    }),
    "hooks/hooks.json": json({ hooks }),
    ...Object.fromEntries([...agents, ...commands]),
  }
}

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
// biome-ignore lint/suspicious/noTemplateCurlyInString: the agent fills in the folder.
const MAIN = "${CLAUDE_PLUGIN_ROOT}/../../cli/main.js"
// biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
const EXTENSION_MAIN = "${extensionPath}/../../cli/main.js"
/** A second hook for each call: a shell that starts `hivemind hook` unless Claude Code calls an MCP server that does not hang. */
const STAND_IN = `f=/tmp/hivemind-$(id -u)/$PPID; { kill -0 "$(cat $f.pid)" && [ ! -e $f.hangs ]; } 2>/dev/null || exec node "${MAIN}" hook claude`
// biome-ignore lint/suspicious/noTemplateCurlyInString: Codex fills in the folder.
const CODEX_STAND_IN = "${PLUGIN_ROOT}/hooks/stand-in.sh"
/** The same for Codex. It copies the plugin, so the script takes the path of the CLI from Codex' entry for the server. */
const CODEX_STAND_IN_SCRIPT = `# $1: process id of Codex. Without it, the running server is always asked.
f=/tmp/hivemind-$(id -u)/$1
if [ -n "$1" ] && [ ! -e "$f.hangs" ] && kill -0 "$(cat "$f.pid" 2>/dev/null)" 2>/dev/null; then exit 0; fi
main=$(sed -n '/^\\[mcp_servers\\.hivemind]/,/^\\[/s/^args = \\["\\([^"]*\\)".*/\\1/p' "\${CODEX_HOME:-$HOME/.codex}/config.toml")
[ -e "$main" ] || exit 0
exec node "$main" hook codex
`
/** Fields that every event has. Codex turns off a hook that names a field which its event lacks. */
const CODEX_FIELDS = ["hook_event_name", "session_id", "transcript_path", "cwd"]
// In seconds. HiveMind's own limits are shorter. Tool calls get more time, because a snapshot may be taken.
const SHORT_S = 5
const LONG_S = 15
const CLAUDE_TOOLS = {
  write: ["Write", "Edit", "NotebookEdit"],
  shell: ["Bash"],
  delegate: ["Agent"],
} as const
