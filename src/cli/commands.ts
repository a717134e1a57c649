import type { CliCommand } from "./terminal/command.ts"

interface CommandEntry {
  name: string
  summary: string
  load: () => Promise<CliCommand>
}

/** All commands, in the order of `--help`. Only the one that is called gets loaded, which keeps `--help` fast. */
export const COMMANDS: CommandEntry[] = [
  {
    name: "init",
    summary: "set HiveMind up in a project",
    load: async () => (await import("./init.ts")).initCommand,
  },
  {
    name: "status",
    summary: "where the project stands, and whether its files are in order",
    load: async () => (await import("./status.ts")).statusCommand,
  },
  {
    name: "inspect",
    summary: "look closer: what needs a look, one record and all around it, or how a session is doing",
    load: async () => (await import("./inspect.ts")).inspectCommand,
  },
  {
    name: "recall",
    summary: "find mems by words, hot and archived, and failed tasks, each with why it was found",
    load: async () => (await import("./recall.ts")).recallCommand,
  },
  {
    name: "memory",
    summary: "the mems in force; show one in full, or flag one that was wrong",
    load: async () => (await import("./memory.ts")).memoryCommand,
  },
  {
    name: "codemap",
    summary: "what the code says of itself, and what breaks if a file is changed",
    load: async () => (await import("./codemap.ts")).codemapCommand,
  },
  {
    name: "scan",
    summary: "what the project is: languages, frameworks, commands, documents, and what has changed",
    load: async () => (await import("./scan.ts")).scanCommand,
  },
  {
    name: "onboard",
    summary: "get to know a project: a profile, first mems, and proposals",
    load: async () => (await import("./onboard.ts")).onboardCommand,
  },
  {
    name: "doctor",
    summary: "check the installation, with a real start of OpenCode, and say how to repair it",
    load: async () => (await import("./doctor.ts")).doctorCommand,
  },
  {
    name: "log",
    summary: "who changed what, and when",
    load: async () => (await import("./log.ts")).logCommand,
  },
  {
    name: "refusals",
    summary: "what agents were kept from, why, and how to lift it",
    load: async () => (await import("./refusals.ts")).refusalsCommand,
  },
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
    name: "pack",
    summary: "print what the model is shown of the graph, now or at an earlier moment",
    load: async () => (await import("./pack.ts")).packCommand,
  },
  {
    name: "context",
    summary: "what was put before the model, turn by turn, why, and at what cost",
    load: async () => (await import("./context.ts")).contextCommand,
  },
  {
    name: "cost",
    summary: "what models took, in tokens and money: by plan and task, session, delegate and model",
    load: async () => (await import("./cost.ts")).costCommand,
  },
  {
    name: "export",
    summary:
      "write down where a session stands (every fourth also as a mem); list or prune what was exported",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "mcp",
    summary: "serve an agent that speaks MCP, over standard input and output",
    load: async () => (await import("./mcp.ts")).mcpCommand,
  },
  {
    name: "uninstall",
    summary: "take back what init changed",
    load: async () => (await import("./uninstall.ts")).uninstallCommand,
  },
]
