import type { Config as HostConfig } from "@opencode-ai/plugin"
import { SPLIT_REQUEST } from "../../context/split/handoff.ts"
import { deniedTo, type Role } from "../../gate/roles.ts"
import { toolName } from "../../shared/tool-names.ts"
import { SPLIT_COMMAND } from "../../turns/between-turns.ts"
import { toolsFor } from "./calls.ts"
import { DASHBOARD_COMMAND } from "./dashboard.ts"
import { EXPORT_COMMAND, FORGET_COMMAND, STATUS_COMMAND } from "./shown-commands.ts"

/** Keeps the user's agents and commands of the same name. Returns the names of the commands that were added. */
export function addAgentsAndCommands(config: HostConfig): Set<string> {
  config.agent ??= {}
  for (const [name, { description, role, prompt, mode }] of Object.entries(AGENTS)) {
    const permission = Object.fromEntries(hiddenFrom(role).map((tool) => [tool, "deny"]))
    config.agent[name] ??= { description, mode, prompt, permission } as NonNullable<
      HostConfig["agent"]
    >[string]
  }
  config.command ??= {}
  const commands = config.command
  for (const [name, command] of Object.entries(COMMANDS)) commands[name] ??= command
  return new Set(
    Object.keys(COMMANDS).filter((name) => commands[name]?.template === COMMANDS[name]?.template),
  )
}

function hiddenFrom(role: Role): string[] {
  const { uses, own } = deniedTo[role]
  return [...own.map(toolName), ...uses.flatMap((use) => toolsFor[use])]
}

/** OpenCode does not offer agents of mode `subagent` when the user switches agents. */
export const AGENTS: Record<
  string,
  { description: string; role: Role; mode: "all" | "subagent"; prompt: string }
> = {
  "hive-coordinator": {
    description: "Plans and delegates; writes no files and runs no shell.",
    role: "coordinator",
    mode: "all",
    prompt:
      "You coordinate. Turn the goal into a plan with tasks that say what is expected and how it is verified (hivemind_plan). Hand each task to the right agent: hivemind_delegate assign, then the host's task tool with that agent and the handover text. hive-investigator finds out, hive-executor builds. You write no files and run no commands. When results come back, check them against the acceptance criteria, and tell the user what is done and what is not.",
  },
  "hive-investigator": {
    description: "Reads, searches and saves its findings; writes nothing but notes.",
    role: "investigator",
    mode: "subagent",
    prompt:
      "You investigate. Read, search, and answer the question of your task with evidence: files and lines. Save what is worth knowing with hivemind_memory, what turned out wrong as kind false_path. You change no code. Complete your task with the evidence, then report briefly.",
  },
  "hive-executor": {
    description: "Works on one task: writes code, tests and docs, and verifies it.",
    role: "executor",
    mode: "subagent",
    prompt:
      "You execute one task. Keep to its expected output and files. Run its verify command after your last edit (hivemind_shell). Save decisions and dead ends with hivemind_memory. Complete the task with the evidence, then report briefly what you changed.",
  },
}

export const COMMANDS: NonNullable<HostConfig["command"]> = {
  [STATUS_COMMAND]: {
    description: "State of the project: intent, plan, open tasks",
    template:
      "Call hivemind_session status and hivemind_plan status. Tell me in a few lines: the intent, the plan and its open tasks, what is blocked and by what, and what comes next.",
  },
  "hive-plan": {
    description: "Make a plan for a goal",
    template:
      "Make a plan for: $ARGUMENTS\n\nLook at the project first. Then hivemind_plan create with acceptance criteria and phases, and plan_tasks with expected output, dependencies, file locks and a verify command where there is one. Name open questions as decisions. Show me the plan; start nothing yet.",
  },
  "hive-onboard": {
    description: "Get to know the project: scan it, save first mems, propose settings",
    agent: "hive-coordinator",
    template:
      "Call hivemind_scan full with onboard: true. It scans the project, keeps a profile and first mems, and proposes scopes and checks. Then tell me briefly: what the project is and how it is tested, which rules or frameworks govern it (you follow them and leave their plans alone), dead links worth mending, and where the profile is. Put each item of ask_the_user to me as a question; change no configuration yourself. Do not read files again for facts that the scan has reported. $ARGUMENTS\n\nThen ask me for the first goal, and plan it with hivemind_plan once I name one: tasks with a verify command of those proposed.",
  },
  [SPLIT_COMMAND]: {
    description: "Continue in a new session, with the same state",
    template: SPLIT_REQUEST,
  },
  [DASHBOARD_COMMAND]: {
    description: "Look at plans, memory, timeline and context in the browser",
    template: "The dashboard is opening in my browser. Say only that, and call no tool.",
  },
  [FORGET_COMMAND]: {
    description: "Drop the rule that was noted last, or the one you name",
    template:
      "I no longer want this rule: $ARGUMENTS\n\nFind it with hivemind_memory recall (kind rule), drop it with hivemind_memory purge and its id, and tell me in one line which one it was. Without words, it is the rule noted last.",
  },
  [EXPORT_COMMAND]: {
    description: "Export the state of this session",
    template:
      "Call hivemind_cycle export. Tell me in one or two lines where the file is, whether the work is complete, and each issue it names.",
  },
}
