import { existsSync, statSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { isDoneTask, isOpenTask } from "../../graph/lifecycle.ts"
import { isEmpty } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { tasksIn } from "../../graph/tasks-in.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { callText } from "../../shared/tool-names.ts"
import { movedAmong } from "./moved-files.ts"

/**
 * What is missing before a task may be completed, but for its check; empty if nothing is. A task can have very many files.
 * `words`: what is said at completion, which may tell where a file has gone.
 */
export function* missingEvidence(
  state: GraphState,
  task: Task,
  projectDir: string,
  words = "",
): Pausing<string[]> {
  const missing: string[] = []
  // Taken before the first pause: what comes later is not part of the answer.
  const trail = [...state.checkpoint.by("task_id", task.id)]
  const artifacts = [...state.artifact.by("task_id", task.id)]
  const open = [...tasksIn(state, "level", task.id, isOpenTask)]
  const wasRemoved = removedIn(trail)
  const gone: string[] = []
  for (const { path } of artifacts) {
    if (!isInside(projectDir, path)) missing.push(`${path} lies outside the project`)
    else if (!existsSync(join(projectDir, path)) && !wasRemoved(path)) gone.push(path)
    yield
  }
  const moved = yield* movedAmong(state, trail, gone, projectDir)
  const isNamed = gone.length > 0 && namesOther(task, artifacts, projectDir, words)
  for (const path of gone) if (!moved.has(path) && !isNamed) missing.push(`${path} ${GONE}`)
  for (const part of open) missing.push(`its part "${part.title}" is ${part.status}`)
  return missing
}

/** True if a file is named that is there since the task began, and is none of those it wrote. */
function namesOther(
  task: Task,
  artifacts: readonly { path: string }[],
  projectDir: string,
  words: string,
): boolean {
  const own = new Set(artifacts.map(({ path }) => path))
  return namedPaths(words).some((path) => !own.has(path) && isFileSince(projectDir, path, beganAt(task)))
}

/** What is missing of a task's check: a run that passed on this state of the tree, or where that is not asked, on any. */
export function missingCheck(state: GraphState, { id, verify }: Task, tree?: string): string[] {
  if (verify === null) return []
  const trail = [...state.checkpoint.by("task_id", id)]
  const isOwn = ({ command }: Checkpoint) => command === verify
  const isMet =
    tree === undefined
      ? trail.some((one) => isOwn(one) && one.run?.exit === 0)
      : isVerified(trail, verify, tree)
  return isMet
    ? []
    : [`\`${verify}\` has not passed on the files as they are (${callText("task", "complete")} runs it)`]
}

/** True if the last run of this very check on that state of the tree was successful: a task may have got another one. */
export function isVerified(trail: readonly Checkpoint[], verify: string, tree: string): boolean {
  return trail.findLast(({ command, run }) => command === verify && run?.tree === tree)?.run?.exit === 0
}

/**
 * True if a task has left nothing behind but words: no change, no run that tells, nothing saved, no part that is done, and
 * no file of the time since it began is named.
 */
export async function hasOnlyWords(
  state: GraphState,
  task: Task,
  projectDir: string,
  words: string,
): Promise<boolean> {
  const trail = [...state.checkpoint.by("task_id", task.id)]
  if (trail.some(({ files }) => files.length > 0)) return false
  if (!isEmpty(state.artifact.by("task_id", task.id)) || !isEmpty(state.mem.by("origin_task_id", task.id)))
    return false
  if (!isEmpty(tasksIn(state, "level", task.id, isDoneTask))) return false
  if (namedPaths(words).some((path) => isFileSince(projectDir, path, beganAt(task)))) return false
  return !(await hasTellingRun(trail, task))
}

function beganAt({ started_at, created_at }: Task): number {
  return Date.parse(started_at ?? created_at)
}

/** A test, a build or a commit that succeeded by its own exit; what else git does, only for a task that is about it. */
async function hasTellingRun(trail: readonly Checkpoint[], task: Task): Promise<boolean> {
  const { hasTellingExit } = await import("./telling-exit.ts") // Its parser is no part of the plugin's start.
  const isAboutGit = ABOUT_GIT.test(`${task.title} ${task.expected_output}`)
  function* look(): Pausing<boolean> {
    for (const { ok, command, did } of trail) {
      if (ok && command !== null && (did.length > 0 || isAboutGit) && hasTellingExit(command)) return true
      yield
    }
    return false
  }
  return await runInSlices(look())
}

/** Words that may be paths, without what a sentence puts around them. */
function namedPaths(words: string): string[] {
  return words
    .slice(0, MAX_WORDS_CHARS)
    .split(/[\s,;"'`()<>[\]]+/)
    .map((word) => word.replace(/(:\d+)*[.:!?]*$/, ""))
    .filter((word) => /[./]/.test(word))
}

function isFileSince(projectDir: string, path: string, since: number): boolean {
  if (!isInside(projectDir, path)) return false
  try {
    const stat = statSync(join(projectDir, path), { throwIfNoEntry: false })
    return stat?.isFile() === true && stat.ctimeMs >= since
  } catch {
    return false // No name of a file.
  }
}

/**
 * Tells whether a file that was written may be gone because the task deleted it: with the call that wrote it
 * last, or by a command since then.
 */
export function removedIn(trail: readonly Checkpoint[]): (path: string) => boolean {
  let writes: Map<string, { checkpoint: Checkpoint; at: number }> | undefined
  const lastCommand = trail.findLastIndex(({ command }) => command !== null)
  return (path) => {
    // Only needed where a file is gone.
    writes ??= new Map(
      trail.flatMap((checkpoint, at) => checkpoint.files.map((file) => [file, { checkpoint, at }] as const)),
    )
    const last = writes.get(path)
    return last !== undefined && (last.checkpoint.removed.includes(path) || lastCommand >= last.at)
  }
}

/** True if the project has such a file. Paths outside of it are not looked at. */
export function existsIn(projectDir: string, path: string): boolean {
  return isInside(projectDir, path) && existsSync(join(projectDir, path))
}

function isInside(projectDir: string, path: string): boolean {
  const inside = relative(projectDir, join(projectDir, path))
  return !inside.startsWith("..") && !isAbsolute(inside) && !isAbsolute(path)
}

const GONE = "does not exist any more (if it was moved, say in the evidence where it is)"
const ABOUT_GIT =
  /\b(git|commit|tag|branch|merg|rebas|push|pull|releas|publish|ship|revert|cherry-?pick|squash|stash|version)/i
const MAX_WORDS_CHARS = 10_000
