import { homedir } from "node:os"
import { systemCode } from "../../shared/system-error.ts"
import { ancestors } from "./ancestors.ts"
import { EXIT } from "./exit-code.ts"

/** Everything of the process that a command may touch; tests pass their own. */
export interface CliIo {
  cwd: string
  home: string
  env: Record<string, string | undefined>
  stdin: { isTTY?: boolean | undefined }
  stdout: TextStream
  stderr: TextStream
  /** The names of the processes above this one. */
  ancestors: () => string[]
  /** For a command that still has something to do when nobody reads its output any more; else the process ends then. */
  onReaderGone?: (then: () => void) => void
}

export interface TextStream {
  isTTY?: boolean | undefined
  write(text: string): unknown
}

export function processIo(): CliIo {
  let then: (() => void) | undefined
  const onError = (error: Error) => (then === undefined ? leave(error) : then())
  process.stdout.on("error", onError)
  process.stderr.on("error", onError)
  const { env, stdin, stdout, stderr } = process
  const onReaderGone = (given: () => void) => {
    then = given
  }
  return { cwd: process.cwd(), home: homedir(), env, stdin, stdout, stderr, ancestors, onReaderGone }
}

/** A reader that has seen enough (`hivemind log | head`) is not an error; output that could not be written is. */
function leave(error: Error): never {
  process.exit(systemCode(error) === "EPIPE" ? EXIT.ok : EXIT.notWritable)
}
