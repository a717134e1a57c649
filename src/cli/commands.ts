import type { CliCommand } from "./command.ts"

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
    name: "uninstall",
    summary: "take back what init changed",
    load: async () => (await import("./uninstall.ts")).uninstallCommand,
  },
]
