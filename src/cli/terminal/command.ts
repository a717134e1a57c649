import type { Command } from "commander"
import type { CliIo } from "./io.ts"
import type { Style } from "./style.ts"

/** Each command file exports one. `run.ts` adds `--json` and `--dir` to every command. */
export interface CliCommand<Options = object> {
  configure?(command: Command): void
  /** Shown below the options: examples, exit codes. */
  help?: string
  /** Does the work and returns the result; never prints. Throws a HiveError to refuse. Undefined prints nothing. */
  run(input: CliInput<Options>): Promise<CliResult | undefined>
}

export interface CliInput<Options = object> {
  args: string[]
  options: Options
  /** The project's folder: `--dir`, else the current folder. It is absolute and exists. */
  dir: string
  json: boolean
  io: CliIo
  style: Style
}

export type Line = string | false | null | undefined

export const textLines = (lines: readonly Line[]) => lines.filter((line) => typeof line === "string")

export interface CliResult {
  /** The result for `--json`, printed after `"status": "success"`. */
  data: Record<string, unknown>
  /** The result as text for people. Lines that are not text (false, null, undefined) are skipped. */
  text: string | readonly Line[]
  /** The command worked but found trouble, or the user declined: exit code 1. */
  trouble?: boolean
}
