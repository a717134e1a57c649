import { join } from "node:path"
import type { ModelRequest } from "../../live/bed/model-request.ts"
import { call, replied, type Step, say } from "../../live/bed/steps.ts"
import type { AgentName } from "./programs.ts"

/** How an agent is started without a screen, and what it calls its tools. */
interface AgentTable {
  home: (at: { project: string; modelUrl: string }) => Record<string, string>
  env: (at: { home: string; modelUrl: string }) => Record<string, string>
  args: (text: string, resume: boolean) => string[]
  screen: string[]
  does: (project: string) => AgentSteps
}

export interface AgentSteps {
  run: (command: string) => Step
  write: (path: string, content: string) => Step
  send: (prompt: string) => Step
  wait?: (request: ModelRequest) => Step
  report: (text: string) => Step
  /** A tool of HiveMind with its action: `hive("memory save", { … })`. */
  hive: (name: string, args?: Record<string, unknown>) => Step
}

const KEY = "sk-made-up"

export const TABLES: Record<AgentName, AgentTable> = {
  claude: {
    home: () => ({}),
    env: ({ modelUrl }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      // Else the first process of a home folder offers another window than the later ones, and other tool texts with it.
      CLAUDE_CODE_DISABLE_1M_CONTEXT: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      IS_SANDBOX: "1",
    }),
    screen: ["--dangerously-skip-permissions"],
    args: (text, resume) => ["--dangerously-skip-permissions", ...(resume ? ["--continue"] : []), "-p", text],
    does: (project) => ({
      run: (command) => call("Bash", { command, description: "run it" }),
      write: (path, content) => call("Write", { file_path: join(project, path), content }),
      send: (prompt) =>
        call("Agent", {
          description: "a task",
          prompt,
          subagent_type: "general-purpose",
          run_in_background: false,
        }),
      report: say,
      hive: ownTool((tool) => `mcp__plugin_hivemind_hivemind__hivemind_${tool}`),
    }),
  },
  codex: {
    home: ({ project, modelUrl }) => ({
      ".codex/config.toml": [
        // A name that the program knows, because unknown models get no apply_patch.
        'model = "gpt-5.5"',
        'model_provider = "scripted"',
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        `[projects."${project}"]`,
        'trust_level = "trusted"',
        "",
      ].join("\n"),
    }),
    env: ({ home }) => ({ CODEX_HOME: join(home, ".codex") }),
    screen: ["--no-daemon", "--dangerously-bypass-approvals-and-sandbox"],
    args: (text, resume) => [
      ...["exec", ...(resume ? ["resume", "--last"] : [])],
      ...["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", text],
    ],
    does: () => ({
      run: (cmd) => call("exec_command", { cmd }),
      write: (path, content) =>
        call("apply_patch", {
          input: `*** Begin Patch\n*** Add File: ${path}\n${content.replaceAll(/^/gm, "+")}\n*** End Patch\n`,
        }),
      send: (message) => call("multi_agent_v1__spawn_agent", { message }),
      wait: (request) =>
        call("multi_agent_v1__wait_agent", { targets: [replied(request).agent_id], timeout_ms: 10_000 }),
      report: say,
      hive: ownTool((tool) => `mcp__hivemind__hivemind_${tool}`),
    }),
  },
  gemini: {
    home: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    }),
    env: ({ modelUrl }) => ({
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_API_KEY: KEY,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    screen: ["--yolo", "--model", "gemini-2.5-pro"],
    args: (text, resume) => [
      ...["--yolo", "--model", "gemini-2.5-pro", ...(resume ? ["--resume", "latest"] : [])],
      ...["--prompt", text],
    ],
    does: (project) => ({
      run: (command) => call("run_shell_command", { command, description: "run it" }),
      write: (path, content) => call("write_file", { file_path: join(project, path), content }),
      send: (prompt) => call("invoke_agent", { agent_name: "generalist", prompt }),
      report: (response) => call("complete_task", { result: { response } }),
      hive: ownTool((tool) => `mcp_hivemind_hivemind_${tool}`),
    }),
  },
}

function ownTool(named: (tool: string) => string): AgentSteps["hive"] {
  return (name, args = {}) => {
    const [tool = "", action] = name.split(" ")
    return call(named(tool), { action, ...args })
  }
}
