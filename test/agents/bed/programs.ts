import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

/** The real programs, at the versions that the tables in src/hosts/hooks were tried with. */
const PROGRAMS = {
  claude: { npm: "@anthropic-ai/claude-code", version: "2.1.197" },
  codex: { npm: "@openai/codex", version: "0.166.0" },
  gemini: { npm: "@google/gemini-cli", version: "0.61.0" },
} as const
export type AgentName = keyof typeof PROGRAMS
export const AGENTS: readonly AgentName[] = ["claude", "codex", "gemini"]

/** They are large (up to 250 MB each), so they stay in a folder outside of the repository. */
const CACHE =
  process.env["HIVEMIND_TEST_AGENTS"] ??
  join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "hivemind-tests", "agents")

export function installPrograms(): string[] {
  return AGENTS.filter((agent) => !existsSync(programPath(agent))).map((agent) => {
    const { npm, version } = PROGRAMS[agent]
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    execFileSync("npm", ["install", ...flags, "--prefix", folderOf(agent), `${npm}@${version}`], {
      stdio: "inherit",
    })
    return `${npm}@${version}`
  })
}

export function programPath(agent: AgentName): string {
  const modules = join(folderOf(agent), "node_modules")
  // What the package's own link points to is written by an install script.
  if (agent === "claude")
    return join(modules, "@anthropic-ai", `claude-code-${process.platform}-${process.arch}`, "claude")
  return join(modules, ".bin", agent)
}

const folderOf = (agent: AgentName): string => join(CACHE, `${agent}-${PROGRAMS[agent].version}`)
