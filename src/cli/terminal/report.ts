import { type ErrorCode, toRefusal } from "../../shared/error.ts"
import { type CliResult, textLines } from "./command.ts"
import type { CliIo } from "./io.ts"
import { jsonText } from "./output.ts"
import { styleFor } from "./style.ts"

export function reportResult({ data, text, trouble }: CliResult, json: boolean, io: CliIo): number {
  const shown = textLines([text].flat()).join("\n")
  if (json) printJson({ status: "success", ...data }, io)
  else if (shown !== "") io.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`)
  return trouble === true ? EXIT.trouble : EXIT.ok
}

export function reportError(error: unknown, json: boolean, io: CliIo): number {
  const refusal = toRefusal(error)
  const exit = EXIT_OF_ERROR[refusal.code] ?? EXIT.trouble
  if (json) {
    printJson({ status: "error", ...refusal }, io)
    return exit
  }
  const style = styleFor(io.stderr, io.env)
  const rows: [label: string, value: string][] = [
    ["why", refusal.why],
    ["do this instead", refusal.use_instead],
    ["evidence", refusal.evidence],
  ]
  const lines = rows.map(([label, value]) => `  ${style("dim", `${label}:`)} ${value}`)
  io.stderr.write([`${style("red", "hivemind:")} ${refusal.what}`, ...lines, ""].join("\n"))
  return exit
}

function printJson(document: Record<string, unknown>, io: CliIo): void {
  io.stdout.write(`${jsonText(document)}\n`)
}

export const EXIT = { ok: 0, trouble: 1, usage: 2, noProject: 3, notWritable: 4, newerFormat: 5 } as const
const EXIT_OF_ERROR: Partial<Record<ErrorCode, number>> = {
  invalid_argument: EXIT.usage,
  no_project: EXIT.noProject,
  not_readable: EXIT.notWritable,
  not_writable: EXIT.notWritable,
  disk_full: EXIT.notWritable,
  newer_format: EXIT.newerFormat,
}
export const EXIT_CODE_HELP = `
Exit codes:
  0  done
  1  the command found a problem, or was refused
  2  wrong usage
  3  no project here: run \`hivemind init\`
  4  not readable or writable, or the disk is full
  5  the data was written by a newer HiveMind`
