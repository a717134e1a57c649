import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
const KILLED_AT = fileURLToPath(new URL("../support/killed-at-step.mjs", import.meta.url))

/** Runs the CLI and kills it at write number `at`. With 0 it runs to its end, and stderr is the number of writes. */
export function hivemind(dir: string, args: readonly string[], at = 0): Promise<{ stderr: string }> {
  const env = { PATH: process.env["PATH"], HOME: dir, KILL_AT: String(at) }
  return promisify(execFile)(process.execPath, ["--import", KILLED_AT, CLI, ...args], { cwd: dir, env })
}

export function wasKilled(run: Promise<unknown>): Promise<boolean> {
  return run.then(
    () => false,
    ({ signal }: { signal?: string }) => signal === "SIGKILL",
  )
}
