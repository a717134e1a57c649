import { toRefusal } from "../../shared/error.ts"
import type { CliResult } from "./command.ts"
import { EXIT, exitCodeFor } from "./exit-code.ts"
import type { CliIo } from "./io.ts"
import { jsonText } from "./output.ts"
import { styleFor } from "./style.ts"

/** Prints what a command returned; the exit code comes back. */
export function reportResult(result: CliResult, json: boolean, io: CliIo): number {
  if (json) printJson({ status: "success", ...result.data }, io)
  else if (result.text !== "") io.stdout.write(result.text.endsWith("\n") ? result.text : `${result.text}\n`)
  return result.trouble === true ? EXIT.trouble : EXIT.ok
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
