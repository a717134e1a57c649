import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { rmdir } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { fieldsOf } from "../../hosts/host-values.ts"
import { HiveError } from "../../shared/error.ts"
import { deleteConfigFile, readConfigFile, replaceConfigFile } from "./config-file.ts"
import type { ConfigLocation } from "./find-opencode-config.ts"
import {
  describeEdit,
  fileForRecord,
  readRecord,
  recordedFile,
  undoEdit,
  writeRecord,
} from "./install-record.ts"
import { ownPackage } from "./own-package.ts"
import { topmostMissing } from "./write-config.ts"

/** An agent that installs a folder of ours with its own installer: hooks, MCP server, commands and agents in one. */
export interface AgentPlugin {
  /** As `hivemind hook` and `hivemind mcp --agent` have it; its folder is `dist/agents/<name>`. */
  name: string
  title: string
  /** The program, as it is called on the command line. */
  program: string
  /** Whether its installer knows projects; else the plugin is there in all of them, and does nothing where no hive is. */
  scope: "project" | "user"
  /** The file that its installer writes, and the plugin's name there. */
  file: (location: ConfigLocation) => string
  specifier: string
  /** Arguments of the program, call by call. */
  install: (folder: string) => readonly (readonly string[])[]
  uninstall: readonly (readonly string[])[]
  isInstalled: (location: ConfigLocation) => Promise<boolean>
  /** Steps that the user still has to confirm. */
  note: string
  /** The events that fire in a turn with one call; `doctor` starts the agent and looks. Left out where it cannot. */
  expects?: readonly string[]
  /** Our hooks that the agent leaves out because the user has not trusted them. Left out where it needs no trust. */
  untrusted?: (location: ConfigLocation) => Promise<string[]>
}

/** To add an agent, add its table. */
export const AGENT_PLUGINS: readonly AgentPlugin[] = [
  {
    name: "claude",
    title: "Claude Code",
    program: "claude",
    // For this user in this project, as OpenCode's entry is; Claude Code keeps the file out of git.
    scope: "project",
    file: ({ projectDir }) => join(projectDir, ".claude", "settings.local.json"),
    specifier: "hivemind@hivemind",
    install: (folder) => [
      ["plugin", "marketplace", "add", folder, "--scope", "local"],
      ["plugin", "install", "hivemind@hivemind", "--scope", "local"],
    ],
    uninstall: [
      ["plugin", "uninstall", "hivemind@hivemind", "--scope", "local"],
      ["plugin", "marketplace", "remove", "hivemind", "--scope", "local"],
    ],
    isInstalled: isInstalledInClaude,
    expects: [
      ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop"],
      "SessionEnd",
    ],
    note: "Claude Code runs hooks in a folder once you trust it: say yes to its question at the first start.",
  },
  {
    name: "codex",
    title: "Codex",
    program: "codex",
    scope: "user",
    file: codexConfig,
    specifier: "hivemind@hivemind",
    // It copies the plugin, which so cannot name the command line: the server is added by itself.
    install: (folder) => [
      ["plugin", "marketplace", "add", folder],
      ["plugin", "add", "hivemind@hivemind"],
      [
        "mcp",
        "add",
        "hivemind",
        "--",
        "node",
        join(dirname(dirname(folder)), "cli", "main.js"),
        ...CODEX_SERVER,
      ],
    ],
    uninstall: [
      ["mcp", "remove", "hivemind"],
      ["plugin", "remove", "hivemind@hivemind"],
      ["plugin", "marketplace", "remove", "hivemind"],
    ],
    isInstalled: async (location) => {
      const text = await readConfigFile(codexConfig(location)).catch(() => undefined)
      return text?.includes('[plugins."hivemind@hivemind"]') === true
    },
    untrusted: untrustedInCodex,
    note: "Codex runs no hook that you have not trusted, and says nothing about it: start `codex` once and answer its question about hooks.",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    scope: "user",
    file: geminiExtension,
    specifier: "hivemind",
    install: (folder) => [["extensions", "link", folder, "--consent"]],
    uninstall: [["extensions", "uninstall", "hivemind"]],
    isInstalled: async (location) => existsSync(geminiExtension(location)),
    note: "Gemini CLI runs only in folders that you trust.",
  },
]

const CODEX_SERVER = ["mcp", "--agent", "codex"]

function codexConfig({ home, env }: ConfigLocation): string {
  return join(env["CODEX_HOME"] ?? join(home, ".codex"), "config.toml")
}

/** A hook that changed after it was trusted is not found: only Codex can compute its hash. */
async function untrustedInCodex(location: ConfigLocation): Promise<string[]> {
  const { parse } = await import("smol-toml")
  const config = fieldsOf(parse((await readConfigFile(codexConfig(location))) ?? ""))
  const state = fieldsOf(fieldsOf(config["hooks"])["state"])
  return CODEX_HOOKS.filter((event) => {
    const known = fieldsOf(state[`hivemind@hivemind:hooks/hooks.json:${event}:0:0`])
    return typeof known["trusted_hash"] !== "string"
  })
}

const CODEX_HOOKS = [
  ...["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use"],
  ...["subagent_stop", "stop"],
]

function geminiExtension({ home }: ConfigLocation): string {
  return join(home, ".gemini", "extensions", "hivemind", ".gemini-extension-install.json")
}

export async function installedAgents(location: ConfigLocation): Promise<AgentPlugin[]> {
  const found = await Promise.all(AGENT_PLUGINS.map((agent) => agent.isInstalled(location)))
  return AGENT_PLUGINS.filter((_, n) => found[n])
}

/** The commands that `init` runs, as a person would type them. */
export function installSteps({ program, install, name }: AgentPlugin): string[] {
  return install(folderOf(name)).map((args) => [program, ...args].join(" "))
}

/** Runs the agent's own installer, and keeps what it changed of the project's file. */
export async function installAgent(agent: AgentPlugin, location: ConfigLocation): Promise<void> {
  const { hiveHome } = location
  const file = agent.file(location)
  const before = await readConfigFile(file)
  const made_folder = topmostMissing(dirname(file)) ?? null
  for (const args of agent.install(folderOf(agent.name))) await run(agent, args, location)
  const after = await readConfigFile(file)
  if (after === undefined || after === before) return
  const earlier = (await readRecord(hiveHome)).filter((each) => each.client !== clientOf(agent))
  const scope = agent.scope === "user" ? "global" : "project"
  const change = { scope, file: fileForRecord(hiveHome, scope, file), specifier: agent.specifier } as const
  const made = { client: clientOf(agent), made_key: false, made_folder }
  await writeRecord(hiveHome, [...earlier, { ...change, ...made, ...describeEdit(before, after) }])
}

/**
 * Runs the agent's own uninstaller. It leaves empty lists in the project's file: if that is as the installer left it, it gets
 * its earlier content back.
 */
export async function uninstallAgent(agent: AgentPlugin, location: ConfigLocation): Promise<void> {
  const { hiveHome } = location
  const changes = await readRecord(hiveHome)
  const change = changes.find((each) => each.client === clientOf(agent))
  const file = change === undefined ? agent.file(location) : recordedFile(hiveHome, change)
  const text = await readConfigFile(file)
  const original = text === undefined ? undefined : undoEdit(change, text)
  for (const args of agent.uninstall) await run(agent, args, location)
  const left = await readConfigFile(file)
  if (left !== undefined && original === null) {
    await deleteConfigFile(file, left)
    // Only where nothing else has moved in since.
    if (change?.made_folder != null) await rmdir(change.made_folder).catch(() => {})
  } else if (left !== undefined && original !== undefined && original !== null)
    await replaceConfigFile(file, left, original)
  if (change !== undefined)
    await writeRecord(
      hiveHome,
      changes.filter((each) => each !== change),
    )
}

/** The path of an agent's program; undefined if it is not installed. */
export function findProgram(
  { program }: Pick<AgentPlugin, "program">,
  env: ConfigLocation["env"],
): string | undefined {
  const names = process.platform === "win32" ? [`${program}.exe`, `${program}.cmd`] : [program]
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
}

export function missingProgram({ title, program, name }: AgentPlugin): HiveError {
  return new HiveError({
    code: "host_missing",
    what: `${title} was not set up.`,
    why: `There is no \`${program}\` on your PATH, and the plugin is installed with its own installer.`,
    use_instead: `Install ${title}, then run this again; or \`hivemind init --mcp ${name}\` for the tools alone.`,
    evidence: `\`${program}\` not found`,
  })
}

async function run(agent: AgentPlugin, args: readonly string[], { projectDir, env }: ConfigLocation) {
  const program = findProgram(agent, env)
  if (program === undefined) throw missingProgram(agent)
  try {
    const shell = program.endsWith(".cmd")
    await promisify(execFile)(program, [...args], { cwd: projectDir, env, timeout: INSTALLER_MS, shell })
  } catch (error) {
    const { stdout = "", stderr = "" } = Object(error)
    throw new HiveError(
      {
        code: "host_missing",
        what: `${agent.title} did not change its plugins.`,
        why: String(stderr || stdout || error).trim(),
        use_instead: "Run the command yourself and see what it says.",
        evidence: [agent.program, ...args].join(" "),
      },
      { cause: error },
    )
  }
}

async function isInstalledInClaude({ projectDir, home, env }: ConfigLocation): Promise<boolean> {
  const own = env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude")
  const files = [
    join(projectDir, ".claude", "settings.local.json"),
    join(projectDir, ".claude", "settings.json"),
    join(own, "settings.json"),
  ]
  for (const file of files) {
    try {
      const { enabledPlugins = {} } = JSON.parse((await readConfigFile(file)) ?? "{}")
      const entry: unknown = enabledPlugins["hivemind@hivemind"]
      if (entry !== undefined) return entry === true
    } catch {
      // Claude Code itself reports a settings file that it cannot read.
    }
  }
  return false
}

function folderOf(name: string): string {
  return join(ownPackage().dir, "dist", "agents", name)
}

/** The name under which the record has the file: `init --mcp` may have changed one of the same agent. */
function clientOf({ name }: AgentPlugin): string {
  return `${name} plugin`
}

const INSTALLER_MS = 120_000
