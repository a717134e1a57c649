import type { Caller, Hive } from "../../hive/hive.ts"
import type { RunningCall } from "../../hive/running-call.ts"
import { runPermitted } from "../../project/run-permitted.ts"
import { fingerprintTree } from "../../project/tree/fingerprint.ts"
import { lookAtTree } from "../../project/tree/look.ts"
import type { Task } from "../../schemas/task.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { recordCheckpoint } from "./checkpoint.ts"
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
  const tree = await fingerprintTree(hive.dir)
  const trail = [...hive.store.read().state.checkpoint.by("task_id", task.id)]
  if (tree !== undefined && isVerified(trail, tree)) return undefined
  return runVerify(hive, caller, task, task.verify, running)
}

async function runVerify(
  hive: Hive,
  caller: Caller,
  task: Task,
  verify: string,
  running: RunningCall,
): Promise<string | undefined> {
  const name = `\`${shorten(verify, 200)}\``
  const wasAlone = running.watchWriters?.() ?? (() => true)
  // What the files are when it begins is what it has seen; a write beside it comes too late to be checked.
  const look = lookAtTree(hive.dir)
  await look.look()
  const tree = await fingerprintTree(hive.dir)
  const ran = await runPermitted(running, verify, hive.dir, hive.config.verify_minutes * MINUTE_MS)
  const { changed, created } = await look.look()
  const output = maskSecrets(ran.output).slice(-MAX_OUTPUT)
  await recordCheckpoint(hive, caller, task, {
    tool: caller.tool,
    summary: `verify: ${shorten(verify, 120)}${ran.exit === 0 ? "" : " (failed)"}`,
    files: [],
    command: verify,
    did: ["verify"],
    run: { tree: tree ?? null, exit: ran.exit, output },
    ok: ran.exit === 0,
  })
  if (running.signal.aborted) return `${name} was stopped`
  if (ran.timedOut) return `${name} did not end within ${hive.config.verify_minutes} minutes (verify_minutes)`
  if (ran.exit !== 0)
    return `${name} failed with exit ${ran.exit}: ${shorten(output.slice(-SHOWN_CHARS), SHOWN_CHARS)}`
  // Its own new files, reports and caches, are no reason to run it again.
  const others = wasAlone() ? changed.filter((path) => !created.has(path)) : changed
  if (others.length > 0)
    return `${name} has passed, but not on the files as they are now: ${others.slice(0, MAX_NAMED).join(", ")} changed while it ran`
  return undefined
}

const MINUTE_MS = 60_000
const MAX_OUTPUT = 2000
const SHOWN_CHARS = 600
const MAX_NAMED = 10
