import { deniedTo } from "../../gate/roles.ts"
import { toolName } from "../../shared/tool-names.ts"
import { SPLIT_COMMAND } from "../../turns/between-turns.ts"
import { AGENTS, COMMANDS } from "../opencode/agents.ts"
import { DASHBOARD_COMMAND } from "../opencode/dashboard.ts"
import type { AgentDraft, CommandDraft, Drafts } from "./context.ts"

export function addAgents2(agents: Drafts<AgentDraft>): void {
  for (const [name, { description, role, prompt, mode }] of Object.entries(AGENTS)) {
    const { uses, own } = deniedTo[role]
    const hidden = [...own.map(toolName), ...uses.flatMap((use) => ACTIONS[use])]
    agents.update(name, (draft) => {
      if (draft.system !== undefined || draft.description !== undefined) return
      draft.description = description
      draft.mode = mode
      draft.system = prompt
        .replace("the host's task tool", "the subagent tool")
        .replace(`(${toolName("shell")})`, "(shell)")
      draft.permissions = [
        ...(draft.permissions ?? []),
        ...hidden.map((action) => ({ action, resource: "*", effect: "deny" })),
      ]
    })
  }
}

/** Leaves out the commands that need a new session or command events: OpenCode 2 gives plugins neither. */
export function addCommands2(commands: Drafts<CommandDraft>): void {
  for (const [name, { description, template }] of Object.entries(COMMANDS)) {
    if (name === SPLIT_COMMAND || name === DASHBOARD_COMMAND) continue
    commands.update(name, (draft) => {
      if (draft.template !== undefined && draft.template !== "") return
      if (description !== undefined) draft.description = description
      draft.template = template
    })
  }
}

// Denying `edit` hides all tools that write files.
const ACTIONS = { write: ["edit"], shell: ["shell"], delegate: ["subagent"] } as const
