import type { Caller, Hive } from "../../hive/hive.ts"
import type { RunningCall } from "../../hive/running-call.ts"
import { runPermitted } from "../../project/run-permitted.ts"
import type { Task } from "../../schemas/task.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { captureWorktree, detectChanges } from "../../snapshots/detect-changes.ts"
import { keptPlaces, knownPlaces, otherChanges, writtenPlaces } from "./check-products.ts"
import { recordCheckpoint } from "./checkpoint.ts"
import { isCutOnPurpose } from "./cut-off.ts"
import { isVerified } from "./evidence.ts"

/**
 * Sees to it that a task's check has passed on the files as they are now, and runs it where no such run is on record.
 * Returns what is missing; undefined where nothing is.
 */
export async function ensureVerified(
  hive: Hive,
  caller: Caller,
  task: Task,
  running: RunningCall,
): Promise<string | undefined> {
  if (task.verify === null) return undefined
  const { fingerprint: tree } = await captureWorktree(hive)
  const trail = [...hive.store.read().state.checkpoint.by("task_id", task.id)]
  if (tree !== undefined && isVerified(trail, task.verify, tree)) return undefined
  return runVerify(hive, caller, task, task.verify, running)
}

/**
 * Runs it, and once more where files have come up meanwhile that may be its own or somebody else's: what it writes again
 * is its own, and what somebody else wrote the second run has seen.
 */
async function runVerify(
  hive: Hive,
  caller: Caller,
  task: Task,
  verify: string,
  running: RunningCall,
): Promise<string | undefined> {
  const name = `\`${shorten(verify, 200)}\``
  const { runsInBackground } = await import("./in-background.ts") // Its parser is no part of the plugin's start.
  if (runsInBackground(verify))
    return `${name} runs something in the background (or is too long to tell), so nobody knows how it ends: plan the task anew without the "&", or with a script`
  const own = knownPlaces(hive.store.read().state, verify)
  const wasAlone = running.watchWriters?.() ?? (() => true)
  for (let isLast = false; ; isLast = true) {
    const { ran, changes, output, tree } = await runOnce(hive, verify, running)
    const isAlone = wasAlone()
    const others = isAlone ? otherChanges(changes, own) : changes.changed
    const written = writtenPlaces(changes)
    const hasPassed = ran.exit === 0 || (ran.exit === CUT_OFF && isCutOnPurpose(verify))
    await recordCheckpoint(hive, caller, task, {
      tool: caller.tool,
      summary: `verify: ${shorten(verify, 120)}${hasPassed ? "" : " (failed)"}`,
      files: [],
      command: verify,
      did: ["verify"],
      run: {
        // Of files that changed under its hands it has checked neither state.
        tree: others.length > 0 ? null : (tree ?? null),
        exit: hasPassed ? 0 : ran.exit,
        output,
        changed: isAlone ? keptPlaces(written) : [],
      },
      ok: hasPassed,
    })
    if (running.signal.aborted) return `${name} was stopped`
    if (ran.timedOut)
      return `${name} did not end within ${hive.config.verify_minutes} minutes (verify_minutes)`
    if (!hasPassed)
      return `${name} failed with exit ${ran.exit}${ran.exit === CUT_OFF ? WAS_CUT_OFF : ""}: ${shorten(output.slice(-SHOWN_CHARS), SHOWN_CHARS)}`
    if (others.length === 0) return undefined
    if (isLast || !isAlone)
      return `${name} has passed, but not on the files as they are now: ${others.slice(0, MAX_NAMED).join(", ")} changed while it ran`
    for (const place of written) own.add(place)
  }
}

/** What the files are when it begins is what it has seen; a write beside it comes too late to be checked. */
async function runOnce(hive: Hive, verify: string, running: RunningCall) {
  const before = await captureWorktree(hive)
  const limitMs = hive.config.verify_minutes * MINUTE_MS
  const ran = await runPermitted(running, verify, hive.dir, limitMs, { isCheck: true })
  return {
    ran,
    changes: await detectChanges(hive, before, await captureWorktree(hive)),
    output: maskSecrets(ran.output).slice(-MAX_OUTPUT),
    tree: before.fingerprint,
  }
}

/** The exit of a pipe of which a command wanted to print more than the next one read. */
const CUT_OFF = 141
const WAS_CUT_OFF = " (cut off by the command behind it in the pipe: tail reads to the end, head does not)"
const MINUTE_MS = 60_000
const MAX_OUTPUT = 2000
const SHOWN_CHARS = 600
const MAX_NAMED = 10
