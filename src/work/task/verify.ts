import { resolve } from "node:path"
import { currentTask } from "../../graph/current-task.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { RunningCall } from "../../hive/running-call.ts"
import { runPermitted } from "../../project/run-permitted.ts"
import type { Task } from "../../schemas/task.ts"
import { forgetOldest } from "../../shared/once-each.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import {
  type CapturedWorktree,
  captureWorktree,
  detectChanges,
  type WorktreeChanges,
} from "../../snapshots/detect-changes.ts"
import { runsInBackground } from "./check-commands.ts"
import { judgeChecks, judgeRun } from "./check-summary.ts"
import { recordCheckpoint } from "./checkpoint.ts"
import { isVerified } from "./evidence.ts"

/**
 * Ensures that a check has passed on the files as they are now, and runs it where no such run is recorded. Returns the
 * reason where it has not.
 */
export async function ensureVerified(
  hive: Hive,
  caller: Caller,
  task: Task,
  check: string,
  running: RunningCall,
): Promise<string | undefined> {
  const { fingerprint: tree } = await captureWorktree(hive)
  const trail = [...hive.store.read().state.checkpoint.by("task_id", task.id)]
  if (tree !== undefined && isVerified(trail, check, tree)) return undefined
  return runCheck(hive, caller, task, check, running)
}

/** Runs a check; once more where it has passed and a file was rewritten meanwhile that may be the user's work. */
async function runCheck(
  hive: Hive,
  caller: Caller,
  task: Task,
  check: string,
  running: RunningCall,
): Promise<string | undefined> {
  const name = `\`${shorten(check, 200)}\``
  if (runsInBackground(check))
    return `${name} runs something in the background, so its exit says nothing: plan the task anew without the "&", or with a script`
  const own = filesOfCheck(hive.store.read().state, check)
  const wasAlone = running.watchWriters?.() ?? (() => true)
  for (let isLast = false; ; isLast = true) {
    const before = await captureWorktree(hive)
    const limitMs = hive.config.verify_minutes * MINUTE_MS
    const { exit, output, timedOut } = await runPermitted(running, check, hive.dir, limitMs, {
      isCheck: true,
    })
    const isZero = exit === 0 || (exit === CUT_OFF && CUT_ON_PURPOSE.test(check))
    const hasPassed = isZero && judgeChecks(check, { exit: 0, output })?.result !== "failed"
    const isAlone = wasAlone()
    const ran = { exit: isZero && !hasPassed ? 1 : hasPassed ? 0 : exit, output }
    const { changes, others } = await recordRun(hive, caller, task, check, { before, ran, own, isAlone })
    if (running.signal.aborted) return `${name} was stopped`
    if (timedOut) return `${name} did not end within ${hive.config.verify_minutes} minutes (verify_minutes)`
    if (!hasPassed) {
      const why = exit === CUT_OFF ? WAS_CUT_OFF : isZero ? " (its own summary tells of failures)" : ""
      const shown = maskSecrets(output).slice(-SHOWN_CHARS)
      return `${name} failed with exit ${exit}${why}: ${shorten(shown, SHOWN_CHARS)}`
    }
    if (others.length === 0) return undefined
    if (isLast || !isAlone)
      return `${name} has passed, but not on the files as they are now: ${others.slice(0, MAX_NAMED).join(", ")} changed while it ran`
    for (const path of rewritten(changes)) own.add(path)
  }
}

/** A command that an agent runs with its host's own shell. */
interface ShellCall {
  id: string
  session: string
  command: string
  /** Where it runs. */
  cwd: string
}

/**
 * Where HiveMind may run nothing, an agent runs its task's check itself. Such a run counts if it is the check to the
 * letter, in the project's folder, and its exit or its output says how it ended.
 */
export function observedChecks() {
  const underWay = new Map<string, { task: Task; check: string; before: CapturedWorktree }>()

  return {
    async begin(hive: Hive, { id, session, command, cwd }: ShellCall): Promise<void> {
      const task = currentTask(hive.store.read().state, session)
      if (task?.verify == null || command.trim() !== task.verify.trim()) return
      if (resolve(hive.dir, cwd) !== resolve(hive.dir)) return
      underWay.set(id, { task, check: task.verify, before: await captureWorktree(hive) })
      if (underWay.size > MAX_UNDER_WAY) forgetOldest(underWay)
    },
    async end(hive: Hive, caller: Caller, id: string, exit: number | null, output: string): Promise<void> {
      const seen = underWay.get(id)
      underWay.delete(id)
      if (seen === undefined || exit === null) return
      const { task, check, before } = seen
      const result = judgeRun(check, { exit, output })
      if (result === "unknown") return
      const own = filesOfCheck(hive.store.read().state, check)
      const ran = { exit: result === "passed" ? 0 : exit || 1, output }
      await recordRun(hive, caller, task, check, { before, ran, own, isAlone: true })
    },
  }
}

interface CheckRun {
  before: CapturedWorktree
  ran: { exit: number; output: string }
  /** Files that the check is known to rewrite. */
  own: ReadonlySet<string>
  /** No other call that may write was under way. */
  isAlone: boolean
}

/** Records a run of a check. `others` are the files that were not checked, because they changed meanwhile. */
async function recordRun(
  hive: Hive,
  caller: Caller,
  task: Task,
  check: string,
  { before, ran: { exit, output }, own, isAlone }: CheckRun,
): Promise<{ changes: WorktreeChanges; others: string[] }> {
  const after = await captureWorktree(hive)
  const changes = await detectChanges(hive, before, after)
  const others = isAlone ? rewritten(changes).filter((path) => !own.has(path)) : changes.changed
  await recordCheckpoint(hive, caller, task, {
    tool: caller.tool,
    summary: `verify: ${shorten(check, 120)}${exit === 0 ? "" : " (failed)"}`,
    files: [],
    command: check,
    did: ["verify"],
    run: {
      // The check's own files are part of the tree that it has passed on.
      tree: others.length > 0 ? null : (after.fingerprint ?? null),
      exit,
      output: maskSecrets(output).slice(-MAX_OUTPUT),
      changed: isAlone ? rewritten(changes).slice(0, MAX_FILES) : [],
    },
    ok: exit === 0,
  })
  return { changes, others }
}

/** Files with another content than before. New and deleted ones are taken for the check's own: reports and caches. */
function rewritten({ changed, created, gone }: WorktreeChanges): string[] {
  return changed.filter((path) => !created.has(path) && !gone.has(path))
}

/** Files that at least two of the last runs of a check have rewritten, for any task. */
function filesOfCheck(state: GraphState, check: string): Set<string> {
  const runs = first(RUNS_ASKED, state.checkpoint.by("checked", check).backwards())
  const once = new Set<string>()
  const twice = new Set<string>()
  for (const { run } of runs) for (const path of run?.changed ?? []) (once.has(path) ? twice : once).add(path)
  return twice
}

/** The exit of a pipe in which a command had more to print than the next one read. */
const CUT_OFF = 141
/** `yes` never ends by itself, and a quiet grep has found what it looked for. */
const CUT_ON_PURPOSE = /^(?!.*\|\s*head\b).*(\byes\b[^|]*\||\|\s*[ef]?grep\s+(-\S+\s+)*-\w*q)/s
const WAS_CUT_OFF = " (cut off by the command behind it in the pipe: tail reads to the end, head does not)"
const MINUTE_MS = 60_000
const MAX_OUTPUT = 2000
const SHOWN_CHARS = 600
const MAX_NAMED = 10
const MAX_FILES = 200
const MAX_UNDER_WAY = 100
const RUNS_ASKED = 20
