import type { CliCommand } from "./terminal/command.ts"

interface CommandEntry {
  name: string
  summary: string
  load: () => Promise<CliCommand>
}

interface CommandGroup {
  title: string
  commands: CommandEntry[]
}

/** All commands, in the order of `--help`. Only the one that is called gets loaded, which keeps `--help` fast. */
export const COMMAND_GROUPS: CommandGroup[] = [
  {
    title: "Look:",
    commands: [
      {
        name: "dashboard",
        summary: "look at all of it in the browser: plans, memory, timeline, context, health",
        load: async () => (await import("./dashboard.ts")).dashboardCommand,
      },
      {
        name: "status",
        summary: "where the project stands, and whether its files are in order",
        load: async () => (await import("./status.ts")).statusCommand,
      },
      {
        name: "plans",
        summary: "all plans with how far they are; one in full",
        load: async () => (await import("./plans.ts")).plansCommand,
      },
      {
        name: "tasks",
        summary: "the tasks, of all plans or one; one in full: checkpoints, evidence, files, mems, cost",
        load: async () => (await import("./tasks.ts")).tasksCommand,
      },
      {
        name: "memory",
        summary: "the mems in force; one in full, or flag one that was wrong",
        load: async () => (await import("./memory.ts")).memoryCommand,
      },
      {
        name: "anchors",
        summary: "the anchors, the most important first; one in full",
        load: async () => (await import("./anchors.ts")).anchorsCommand,
      },
      {
        name: "sessions",
        summary: "the sessions: host, task in hand, age, state; one in full",
        load: async () => (await import("./sessions.ts")).sessionsCommand,
      },
      {
        name: "refusals",
        summary: "what agents were kept from, why, and how to lift it",
        load: async () => (await import("./refusals.ts")).refusalsCommand,
      },
      {
        name: "cost",
        summary: "what models took, in tokens and money: by plan and task, session, delegate and model",
        load: async () => (await import("./cost.ts")).costCommand,
      },
      {
        name: "recall",
        summary: "find mems by words, hot and archived, and failed tasks, each with why it was found",
        load: async () => (await import("./recall.ts")).recallCommand,
      },
      {
        name: "inspect",
        summary: "look closer: what needs a look, one record and all around it, or how a session is doing",
        load: async () => (await import("./inspect.ts")).inspectCommand,
      },
    ],
  },
  {
    title: "What the model was told:",
    commands: [
      {
        name: "context",
        summary: "the words that were put before the model, turn by turn, why, and at what cost",
        load: async () => (await import("./context.ts")).contextCommand,
      },
      {
        name: "replay",
        summary: "all that the model saw of us on a past turn",
        load: async () => (await import("./replay.ts")).replayCommand,
      },
      {
        name: "pack",
        summary: "print what the model is shown of the graph, now or at an earlier moment",
        load: async () => (await import("./pack.ts")).packCommand,
      },
    ],
  },
  {
    title: "What happened:",
    commands: [
      {
        name: "log",
        summary: "who changed what, and when",
        load: async () => (await import("./log.ts")).logCommand,
      },
      {
        name: "trace",
        summary: "everything that carries a stamp: records, session files, exports, commits",
        load: async () => (await import("./trace.ts")).traceCommand,
      },
      {
        name: "undo",
        summary: "take one entry of the log back",
        load: async () => (await import("./undo.ts")).undoCommand,
      },
      {
        name: "restore",
        summary: "bring files back from a snapshot that was taken before a call; lists them",
        load: async () => (await import("./restore.ts")).restoreCommand,
      },
      {
        name: "queue",
        summary: "what was asked for from outside a session: waiting, done, or refused and why",
        load: async () => (await import("./queue.ts")).queueCommand,
      },
      {
        name: "export",
        summary:
          "write down where a session stands (every fourth also as a mem); list or prune what was exported",
        load: async () => (await import("./export.ts")).exportCommand,
      },
    ],
  },
  {
    title: "The project:",
    commands: [
      {
        name: "scan",
        summary: "what the project is: languages, frameworks, commands, documents, and what has changed",
        load: async () => (await import("./scan.ts")).scanCommand,
      },
      {
        name: "codemap",
        summary: "what the code says of itself, and what breaks if a file is changed",
        load: async () => (await import("./codemap.ts")).codemapCommand,
      },
      {
        name: "onboard",
        summary: "get to know a project: a profile, first mems, and proposals",
        load: async () => (await import("./onboard.ts")).onboardCommand,
      },
    ],
  },
  {
    title: "With others:",
    commands: [
      {
        name: "sync",
        summary: "share the log over the repository's remote, or bring a deleted hive back",
        load: async () => (await import("./sync.ts")).syncCommand,
      },
      {
        name: "conflicts",
        summary: "what clones have written that cannot both hold; settle one",
        load: async () => (await import("./conflicts.ts")).conflictsCommand,
      },
      {
        name: "mcp",
        summary: "serve an agent that speaks MCP, over standard input and output",
        load: async () => (await import("./mcp.ts")).mcpCommand,
      },
    ],
  },
  {
    title: "Set up:",
    commands: [
      {
        name: "init",
        summary: "set HiveMind up in a project",
        load: async () => (await import("./init.ts")).initCommand,
      },
      {
        name: "import",
        summary: "bring over what you have in beads, task-master, Backlog.md or the MCP memory server",
        load: async () => (await import("./import.ts")).importCommand,
      },
      {
        name: "migrate",
        summary: "take over what older tools of this family have left, or put it back",
        load: async () => (await import("./migrate.ts")).migrateCommand,
      },
      {
        name: "doctor",
        summary: "check the installation, with a real start of OpenCode, and say how to repair it",
        load: async () => (await import("./doctor.ts")).doctorCommand,
      },
      {
        name: "uninstall",
        summary: "take back what init changed",
        load: async () => (await import("./uninstall.ts")).uninstallCommand,
      },
    ],
  },
]

export const COMMANDS: CommandEntry[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)
