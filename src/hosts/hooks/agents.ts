import type { HookAgent } from "./agent.ts"
import { claude } from "./claude.ts"
import { codex } from "./codex.ts"
import { gemini } from "./gemini.ts"

export const HOOK_AGENTS: readonly HookAgent[] = [claude, codex, gemini]

export function hookAgent(name: string): HookAgent | undefined {
  return HOOK_AGENTS.find((agent) => agent.name === name)
}
