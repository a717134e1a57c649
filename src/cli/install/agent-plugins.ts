import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile, rmdir } from "node:fs/promises"
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

/** A coding agent that installs HiveMind by its own plugin installer, from a folder with hooks, MCP server and commands. */
export interface AgentPlugin {
  /** The name in `hivemind hook` and `hivemind mcp --agent`. The plugin folder is `dist/agents/<name>`. */
  name: string
  title: string
  program: string
  /** `user`: the plugin is installed for all projects, and does nothing in a project without a hive. */
  scope: "project" | "user"
  file: (location: ConfigLocation) => string
  specifier: string
  install: (folder: string) => readonly (readonly string[])[]
  uninstall: readonly (readonly string[])[]
  /** Added to the environment of the agent's installer. */
  env?: Readonly<Record<string, string>>
  isInstalled: (location: ConfigLocation) => Promise<boolean>
  note: string
  /** The hook events that `doctor` expects from a turn with one tool call. Undefined if doctor cannot start the agent. */
  expects?: readonly string[]
  /** Lists our hooks that the agent skips because the user has not trusted them. Undefined if no trust is needed. */
  untrusted?: (location: ConfigLocation) => Promise<string[]>
}

export const AGENT_PLUGINS: readonly AgentPlugin[] = [
  {
    name: "claude",
    title: "Claude Code",
    program: "claude",
    // The setting is for this user in this project only. Claude Code keeps its file out of git.
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
    // Codex copies the plugin folder, so a relative path to our program would break: the MCP server is added separately.
    install: (folder) => {
      const server = ["node", join(dirname(dirname(folder)), "cli", "main.js"), "mcp", "--agent", "codex"]
      return [
        ["plugin", "marketplace", "add", folder],
        ["plugin", "add", "hivemind@hivemind"],
        ["mcp", "add", "hivemind", "--", ...server],
      ]
    },
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
    // Without it, the installer adds the project to the folders that the user trusts.
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    isInstalled: async (location) => existsSync(geminiExtension(location)),
    note: "Gemini CLI runs only in folders that you trust.",
  },
]

function codexConfig({ home, env }: ConfigLocation): string {
  return join(env["CODEX_HOME"] ?? join(home, ".codex"), "config.toml")
}

/** Does not detect a hook that changed after it was trusted, because only Codex can compute its hash. */
async function untrustedInCodex(location: ConfigLocation): Promise<string[]> {
  const { parse } = await import("smol-toml")
  const config = fieldsOf(parse((await readConfigFile(codexConfig(location))) ?? ""))
  const state = fieldsOf(fieldsOf(config["hooks"])["state"])
  const ours = JSON.parse(await readFile(join(folderOf("codex"), "plugin", "hooks", "hooks.json"), "utf8"))
  return Object.entries<CodexGroup[]>(ours.hooks).flatMap(([name, groups]) => {
    const event = name.replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase()
    const places = groups.flatMap(({ hooks }, group) => hooks.map((_, n) => `${event}:${group}:${n}`))
    const isTrusted = (place: string) =>
      typeof fieldsOf(state[`hivemind@hivemind:hooks/hooks.json:${place}`])["trusted_hash"] === "string"
    return places.every(isTrusted) ? [] : [event]
  })
}

type CodexGroup = { hooks: unknown[] }

function geminiExtension({ home }: ConfigLocation): string {
  return join(home, ".gemini", "extensions", "hivemind", ".gemini-extension-install.json")
}

export async function installedAgents(location: ConfigLocation): Promise<AgentPlugin[]> {
  const found = await Promise.all(AGENT_PLUGINS.map((agent) => agent.isInstalled(location)))
  return AGENT_PLUGINS.filter((_, n) => found[n])
}

export function installSteps({ program, install, name }: AgentPlugin): string[] {
  return install(folderOf(name)).map((args) => [program, ...args].join(" "))
}

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

/** Runs the agent's uninstaller. It leaves empty lists behind, so an otherwise unchanged config gets its old text back. */
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
    // `rmdir` fails if the folder is not empty, and the folder stays.
    if (change?.made_folder != null) await rmdir(change.made_folder).catch(() => {})
  } else if (left !== undefined && original != null) await replaceConfigFile(file, left, original)
  const others = changes.filter((each) => each !== change)
  if (change !== undefined) await writeRecord(hiveHome, others)
}

export function findProgram({ program }: AgentPlugin, env: ConfigLocation["env"]): string | undefined {
  const names = process.platform === "win32" ? [`${program}.exe`, `${program}.cmd`] : [program]
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
}

export function missingProgram({ title, program, name }: AgentPlugin): HiveError {
  return new HiveError({
    code: "host_missing",
    what: `${title} was not set up.`,
    why: `There is no \`${program}\` on your PATH, and only that program can install the plugin.`,
    use_instead: `Install ${title}, then run this again; or \`hivemind init --mcp ${name}\` for the tools only.`,
    evidence: `\`${program}\` not found`,
  })
}

async function run(agent: AgentPlugin, args: readonly string[], { projectDir, env }: ConfigLocation) {
  const program = findProgram(agent, env)
  if (program === undefined) throw missingProgram(agent)
  try {
    const shell = program.endsWith(".cmd")
    const options = { cwd: projectDir, env: { ...env, ...agent.env }, timeout: 120_000, shell }
    await promisify(execFile)(program, [...args], options)
  } catch (error) {
    const { stdout = "", stderr = "" } = Object(error)
    throw new HiveError(
      {
        code: "host_missing",
        what: `${agent.title} could not change its plugins.`,
        why: String(stderr || stdout || error).trim(),
        use_instead: "Run the command yourself to see its full output.",
        evidence: [agent.program, ...args].join(" "),
      },
      { cause: error },
    )
  }
}

async function isInstalledInClaude({ projectDir, home, env }: ConfigLocation): Promise<boolean> {
  const own = env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude")
  const inProject = ["settings.local.json", "settings.json"].map((name) => join(projectDir, ".claude", name))
  for (const file of [...inProject, join(own, "settings.json")]) {
    try {
      const { enabledPlugins = {} } = JSON.parse((await readConfigFile(file)) ?? "{}")
      const entry: unknown = enabledPlugins["hivemind@hivemind"]
      if (entry !== undefined) return entry === true
    } catch {
      // Not readable: Claude Code itself reports that.
    }
  }
  return false
}

function folderOf(name: string): string {
  return join(ownPackage().dir, "dist", "agents", name)
}

/** The plugin's name in the install record. It differs from the name that `init --mcp` records for the same agent. */
function clientOf({ name }: AgentPlugin): string {
  return `${name} plugin`
}
