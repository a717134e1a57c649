import type { Command } from "commander"
import type { CliIo } from "./io.ts"

/** What each command file exports. `run.ts` adds `--json` and `--dir` to all of them. */
export interface CliCommand<Options = object> {
  /** Declares the command's arguments and options. */
  configure?(command: Command): void
  /** Does the work and returns it; never prints. A refusal is a thrown HiveError. Nothing where there is nothing to say. */
  run(input: CliInput<Options>): Promise<CliResult | undefined>
}

export interface CliInput<Options = object> {
  args: string[]
  options: Options
  /** `--dir`, or the folder the command was called in; absolute, and it exists. */
  dir: string
  json: boolean
  io: CliIo
}

export interface CliResult {
  /** For `--json`, behind `"status": "success"`. */
  data: Record<string, unknown>
  /** For a person. */
  text: string
  /** The command worked but found trouble, or the user declined: exit code 1. */
  trouble?: boolean
}
