import { toRefusal } from "../../shared/error.ts"
import type { CliResult } from "./command.ts"
import { EXIT, exitCodeFor } from "./exit-code.ts"
import type { CliIo } from "./io.ts"
import { jsonText } from "./output.ts"
import { styleFor } from "./style.ts"

/** Prints what a command returned, and returns the exit code. */
export function reportResult({ data, text, trouble }: CliResult, json: boolean, io: CliIo): number {
  const shown = typeof text === "string" ? text : text.join("\n")
  if (json) printJson({ status: "success", ...data }, io)
  else if (shown !== "") io.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`)
  return trouble === true ? EXIT.trouble : EXIT.ok
}

/** Prints any thrown value as a refusal: on stderr for a person, as one document on stdout for a program. */
export function reportError(error: unknown, json: boolean, io: CliIo): number {
  const refusal = toRefusal(error)
  if (json) {
    printJson({ status: "error", ...refusal }, io)
    return exitCodeFor(refusal.code)
  }
  const style = styleFor(io.stderr, io.env)
  const rows: [label: string, value: string][] = [
    ["why", refusal.why],
    ["do this instead", refusal.use_instead],
    ["evidence", refusal.evidence],
  ]
  const lines = rows.map(([label, value]) => `  ${style("dim", `${label}:`)} ${value}`)
  io.stderr.write([`${style("red", "hivemind:")} ${refusal.what}`, ...lines, ""].join("\n"))
  return exitCodeFor(refusal.code)
}

function printJson(document: Record<string, unknown>, io: CliIo): void {
  io.stdout.write(`${jsonText(document)}\n`)
}
