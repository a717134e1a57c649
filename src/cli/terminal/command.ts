import type { Command } from "commander"
import type { CliIo } from "./io.ts"
import type { Style } from "./style.ts"

/** The export of each command file. `run.ts` adds `--json` and `--dir` to all of them. */
export interface CliCommand<Options = object> {
  /** Declares the command's arguments and options. */
  configure?(command: Command): void
  /** Does the work and returns it; never prints. A refusal is a thrown HiveError. Undefined prints nothing. */
  run(input: CliInput<Options>): Promise<CliResult | undefined>
}

export interface CliInput<Options = object> {
  args: string[]
  options: Options
  /** `--dir`, or the folder the command was called in; absolute, and it exists. */
  dir: string
  json: boolean
  io: CliIo
  /** Colours for standard output. */
  style: Style
}

export interface CliResult {
  /** For `--json`, after `"status": "success"`. */
  data: Record<string, unknown>
  /** For a person; lines are joined. */
  text: string | readonly string[]
  /** The command worked but found trouble, or the user declined: exit code 1. */
  trouble?: boolean
}
