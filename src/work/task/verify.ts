import { resolve } from "node:path"
import { currentTask } from "../../graph/current-task.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive, RunningCall } from "../../hive/hive.ts"
import { runPermitted } from "../../project/run-command.ts"
import type { Task } from "../../schemas/task.ts"
import { BoundedMap } from "../../shared/ids.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { splitShell } from "../../shared/shell/split-line.ts"
import { shorten } from "../../shared/text/clean.ts"
import {
  type CapturedWorktree,
  captureWorktree,
  detectChanges,
  type WorktreeChanges,
} from "../../snapshots/detect-changes.ts"
import { runsInBackground } from "./check-commands.ts"
import { judgeChecks, judgeRun } from "./check-result.ts"
import { recordCheckpoint } from "./checkpoint.ts"
import { lastRunOn } from "./evidence.ts"
import { failureExcerpt } from "./failure-excerpt.ts"

/** Runs the check unless it has passed on the present files. Returns why it has not passed. */
export async function ensureVerified(
  hive: Hive,
  caller: Caller,
  task: Task,
  check: string,
  running: RunningCall,
): Promise<string | undefined> {
  const { fingerprint: tree } = await captureWorktree(hive)
  const last = tree === undefined ? undefined : lastRunOn(hive.store.read().state, check, tree)
  if (last?.run?.exit === 0) return undefined
  // The agent's own failed run is not repeated. HiveMind's is, because a service that the check needs may run now.
  if (last?.run != null && last.tool !== caller.tool)
    return `${failureText(check, last.run.exit, "", last.run.output)}\nThis was the check's last run on these files, and HiveMind does not repeat it: fix the files, or run the check yourself`
  return runCheck(hive, caller, task, check, running)
}

function failureText(check: string, exit: number, why: string, output: string): string {
  return `\`${shorten(check, 200)}\` failed with exit ${exit}${why}:\n${failureExcerpt(maskSecrets(output), SHOWN_CHARS)}`
}

/** Runs a check. If files changed while it passed, runs it once more: files that it rewrites again count as its own output. */
async function runCheck(hive: Hive, caller: Caller, task: Task, check: string, running: RunningCall) {
  const { verify_minutes } = hive.config
  const name = `\`${shorten(check, 200)}\``
  if (runsInBackground(check))
    return `${name} runs a command in the background, so its exit code proves nothing: plan a new task with a check that has no "&", or that is a script`
  const own = filesOfCheck(hive.store.read().state, check)
  const wasAlone = running.watchWriters?.() ?? (() => true)
  for (let isLast = false; ; isLast = true) {
    const before = await captureWorktree(hive)
    const limitMs = verify_minutes * MINUTE_MS
    const ran = await runPermitted(running, check, hive.dir, limitMs, { isCheck: true })
    const { exit, output } = ran
    const isZero = exit === 0 || (exit === CUT_OFF && CUT_ON_PURPOSE.test(check))
    const hasPassed = isZero && judgeChecks(check, { exit: 0, output })?.result !== "failed"
    const isAlone = wasAlone()
    const result = { exit: hasPassed ? 0 : exit || 1, output }
    const { changes, others } = await recordRun(hive, caller, task, check, { before, result, own, isAlone })
    if (running.signal.aborted) return `${name} was stopped`
    if (ran.timedOut) return `${name} did not end within ${verify_minutes} minutes (verify_minutes)`
    if (!hasPassed) {
      const why = exit === CUT_OFF ? WAS_CUT_OFF : isZero ? " (its own summary reports failures)" : ""
      return failureText(check, exit, why, output)
    }
    if (others.length === 0) return undefined
    if (isLast || !isAlone)
      return `${name} has passed, but these files changed while it ran: ${others.slice(0, MAX_NAMED).join(", ")}`
    for (const path of rewritten(changes)) own.add(path)
  }
}

type ShellCall = { id: string; session: string; command: string; cwd: string }

/** Records checks that the agent runs itself, with any shell tool and even before the task is started. */
export function observedChecks() {
  const active = new BoundedMap<
    string,
    { task: Task; command: string; check: string; before: CapturedWorktree }
  >()

  return {
    async begin(hive: Hive, { id, session, command, cwd }: ShellCall): Promise<void> {
      if (resolve(hive.dir, cwd) !== resolve(hive.dir)) return
      const task = checkedTask(hive.store.read().state, session, command)
      if (task?.verify == null) return
      active.set(id, { task, command, check: task.verify, before: await captureWorktree(hive) })
    },
    async end(hive: Hive, caller: Caller, id: string, exit: number | null, output: string): Promise<void> {
      const seen = active.get(id)
      active.delete(id)
      if (seen === undefined || exit === null) return
      const { task, command, check, before } = seen
      const judged = judgeRun(command, { exit, output })
      if (judged === "unknown") return
      const own = filesOfCheck(hive.store.read().state, check)
      const result = { exit: judged === "passed" ? 0 : exit || 1, output }
      await recordRun(hive, caller, task, check, { before, result, own, isAlone: true })
    },
  }
}

function checkedTask(state: GraphState, session: string, command: string): Task | undefined {
  // `npm test 2>&1 | tail -20` counts as the check `npm test` with a filter; `exit 0 && npm test` does not.
  const steps = splitShell(command)
  const isPipe = steps.every(({ next }) => next === "|" || next === "")
  const unfiltered = isPipe ? (steps[0]?.text ?? "") : ""
  const spellings = [command.trim(), unfiltered, unfiltered.replace(/\s2>&1$/, "")]
  const tasks = spellings.flatMap((check) => [...state.task.by("check", check)])
  const current = currentTask(state, session)
  return tasks.find(({ id }) => id === current?.id) ?? tasks[0]
}

interface CheckRun {
  before: CapturedWorktree
  result: { exit: number; output: string }
  own: ReadonlySet<string>
  isAlone: boolean
}

/**
 * Records a run of a check. `others`: files that changed during the run, but not by it, so the run proves nothing about
 * them.
 */
async function recordRun(
  hive: Hive,
  caller: Caller,
  task: Task,
  check: string,
  { before, result: { exit, output }, own, isAlone }: CheckRun,
): Promise<{ changes: WorktreeChanges; others: string[] }> {
  const ok = exit === 0
  const after = await captureWorktree(hive)
  const changes = await detectChanges(hive, before, after)
  const others = isAlone ? rewritten(changes).filter((path) => !own.has(path)) : changes.changed
  const masked = maskSecrets(output)
  await recordCheckpoint(hive, caller, task, {
    tool: caller.tool,
    summary: `verify: ${shorten(check, 120)}${ok ? "" : " (failed)"}`,
    files: [],
    command: check,
    did: ["verify"],
    run: {
      tree: others.length > 0 ? null : (after.fingerprint ?? null),
      exit,
      output: ok ? masked.slice(-MAX_OUTPUT) : failureExcerpt(masked, MAX_OUTPUT),
      changed: isAlone ? rewritten(changes).slice(0, 200) : [],
    },
    ok,
  })
  return { changes, others }
}

/** Files whose content changed. Created and deleted files count as the check's own reports and caches. */
function rewritten({ changed, created, gone }: WorktreeChanges): string[] {
  return changed.filter((path) => !created.has(path) && !gone.has(path))
}

function filesOfCheck(state: GraphState, check: string): Set<string> {
  const once = new Set<string>()
  const twice = new Set<string>()
  for (const { run } of first(20, state.checkpoint.by("checked", check).backwards()))
    for (const path of run?.changed ?? []) (once.has(path) ? twice : once).add(path)
  return twice
}

/** The exit code of a command that was ended by a closed pipe (SIGPIPE). */
const CUT_OFF = 141
/** Commands that a pipe ends on purpose: `yes` never ends by itself, and `grep -q` stops at the first match. */
const CUT_ON_PURPOSE = /^(?!.*\|\s*head\b).*(\byes\b[^|]*\||\|\s*[ef]?grep\s+(-\S+\s+)*-\w*q)/s
const WAS_CUT_OFF = " (cut off by the command behind it in the pipe: tail reads to the end, head does not)"
const MINUTE_MS = 60_000
const MAX_OUTPUT = 2000
const SHOWN_CHARS = 1500
const MAX_NAMED = 10
