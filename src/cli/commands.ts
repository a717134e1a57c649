import type { CliCommand } from "./terminal/command.ts"

export interface CommandEntry {
  name: string
  summary: string
  /** Loads the command's file. Only the called command's file is loaded, which keeps `--help` fast. */
  load: () => Promise<{ command: CliCommand; views?: Readonly<Record<string, CliCommand>> }>
  /** Summaries of the command's subcommands, such as `refusals` of `hivemind log`, by name. */
  views: Readonly<Record<string, string>>
}

function entry(
  name: string,
  summary: string,
  load: CommandEntry["load"],
  views: CommandEntry["views"] = {},
): CommandEntry {
  return { name, summary, load, views }
}

export const COMMAND_GROUPS: readonly { title: string; commands: readonly CommandEntry[] }[] = [
  {
    title: "Set up:",
    commands: [
      entry("init", "set HiveMind up in a project", () => import("./init.ts")),
      entry("doctor", "check the installation and say how to repair it", () => import("./doctor.ts")),
      entry("config", "show the options and where they are set; change one", () => import("./config.ts")),
      entry("uninstall", "undo the changes that init made", () => import("./uninstall.ts")),
    ],
  },
  {
    title: "See:",
    commands: [
      entry("status", "the current plan and task, and what needs attention", () => import("./status.ts")),
      entry("dashboard", "show everything in the browser", () => import("./dashboard.ts")),
      entry("plans", "plans with their progress; show, archive or abandon one", () => import("./plans.ts")),
      entry("tasks", "tasks; show one with its checkpoints, take or close it", () => import("./tasks.ts")),
      entry(
        "sessions",
        "sessions; show one, its warnings and how far it drifted off its task",
        () => import("./sessions.ts"),
      ),
    ],
  },
  {
    title: "Remember:",
    commands: [
      entry("remember", "save something worth knowing in later sessions", () => import("./remember.ts")),
      entry("recall", "search memory and failed tasks by words", () => import("./recall.ts")),
      entry("memory", "list memory; show, edit, flag or delete one mem", () => import("./memory.ts"), {
        anchors: "key facts that every session is shown, the most important first",
      }),
      entry("rules", "your standing instructions: list, add, edit, remove", () => import("./rules.ts")),
    ],
  },
  {
    title: "Go back:",
    commands: [
      entry("log", "who changed what and when; show one record with its links", () => import("./log.ts"), {
        trace: "everything from one session, plan or task: records, session files, exports, commits",
        refusals: "tool calls of agents that were refused, why, and how to allow them",
      }),
      entry("undo", "take back one entry of the log", () => import("./undo.ts")),
      entry("restore", "list snapshots of your files; bring files back", () => import("./restore.ts")),
    ],
  },
  {
    title: "The model:",
    commands: [
      entry("context", "the context sent to the model, turn by turn", () => import("./context.ts"), {
        replay: "everything HiveMind sent the model on a turn",
        pack: "the state that a model would be sent, now or at an earlier time",
      }),
      entry("cost", "token usage and cost by plan, task, session and model", () => import("./cost.ts")),
    ],
  },
  {
    title: "The project:",
    commands: [
      entry("scan", "the project's languages, frameworks and commands", () => import("./scan.ts"), {
        codemap: "imports, exports, comments and todos, and what breaks if a file changes",
        onboard: "write a project profile and first memories, and propose settings",
      }),
      entry("import", "import past sessions, or data of other tools", () => import("./import.ts"), {
        sessions: "save unconfirmed memories from past agent sessions, and index them",
        migrate: "convert files of older versions, or undo that",
      }),
    ],
  },
  {
    title: "Share:",
    commands: [
      entry(
        "sync",
        "share plans and memories over git, or restore a deleted .hivemind/",
        () => import("./sync.ts"),
        {
          conflicts: "list and resolve sync conflicts",
        },
      ),
      entry("report", "text for a pull request: what was done and verified", () => import("./report.ts")),
      entry("mcp", "serve an agent that speaks MCP over standard input and output", () => import("./mcp.ts")),
    ],
  },
]

const HIDDEN_COMMANDS: readonly CommandEntry[] = [
  entry("hook", "answer an event of Claude Code or another agent with hooks", () => import("./hook.ts")),
  entry(
    "queue",
    "changes made in the dashboard or panel: waiting, done or refused",
    () => import("./queue.ts"),
  ),
  entry("completion", "print a completion script for bash, zsh or fish", () => import("./completion.ts")),
  entry("export", "write, list or delete exports of a session's state", () => import("./export.ts")),
]

export const COMMANDS: readonly CommandEntry[] = [
  ...COMMAND_GROUPS.flatMap(({ commands }) => commands),
  ...HIDDEN_COMMANDS,
]
