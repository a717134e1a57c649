import type { HookAgent } from "./agent.ts"
import { claude } from "./claude.ts"
import { codex } from "./codex.ts"
import { gemini } from "./gemini.ts"

/** The agents that HiveMind knows by their hooks. */
export const HOOK_AGENTS: readonly HookAgent[] = [claude, codex, gemini]

export function hookAgent(name: string): HookAgent | undefined {
  return HOOK_AGENTS.find((agent) => agent.name === name)
}

/** The folder that an agent works on, as it tells its hooks and servers; Codex tells it in each payload only. */
export function projectFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env["CLAUDE_PROJECT_DIR"] ?? env["GEMINI_PROJECT_DIR"]
}
