import type { RunningCall } from "../hive/running-call.ts"
import { type Ran, type RunOptions, runCommand } from "./run-command.ts"

/**
 * Runs a command for a call of ours: every command that a tool starts goes through here. The user's permission rules
 * are asked first, the user sees its output come, and it ends with the turn.
 */
export async function runPermitted(
  call: RunningCall,
  command: string,
  cwd: string,
  timeoutMs: number,
  options: Pick<RunOptions, "isCheck"> = {},
): Promise<Ran> {
  await call.mayRun(command, cwd)
  let shownAt = 0
  const onOutput = (output: string) => {
    // Each is stored by the host: a program that prints a character at a time must not flood it.
    const now = performance.now()
    if (now - shownAt < SHOW_EVERY_MS) return
    shownAt = now
    call.show({ title: command, output })
  }
  call.show({ title: command, output: "" })
  return runCommand(command, cwd, timeoutMs, { ...options, signal: call.signal, onOutput })
}

const SHOW_EVERY_MS = 300
