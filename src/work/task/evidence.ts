import { existsSync, statSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { isDoneTask, isOpenTask } from "../../graph/lifecycle.ts"
import { isEmpty } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { tasksIn } from "../../graph/tasks-in.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import type { Pausing } from "../../shared/slices.ts"
import { callText } from "../../shared/tool-names.ts"
import { changesGit, findChecks } from "./check-commands.ts"

/** Why a task cannot be completed yet, apart from its check. `words`, the given evidence, may say where a file was moved. */
export function* missingEvidence(
  state: GraphState,
  task: Task,
  projectDir: string,
  words = "",
): Pausing<string[]> {
  const missing: string[] = []
  // Read before the first pause, so that checkpoints written later do not count.
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
  const isNamed = gone.length > 0 && namesOther(task, artifacts, projectDir, words)
  if (!isNamed) for (const path of gone) missing.push(`${path} ${GONE}`)
  for (const part of open) missing.push(`its sub-task "${part.title}" is ${part.status}`)
  return missing
}

function namesOther(task: Task, artifacts: readonly { path: string }[], projectDir: string, words: string) {
  const own = new Set(artifacts.map(({ path }) => path))
  return namedPaths(words).some((path) => !own.has(path) && isFileSince(projectDir, path, beganAt(task)))
}

export function missingCheck(state: GraphState, { id, verify }: Task, tree?: string): string[] {
  if (verify === null) return []
  const isMet =
    tree === undefined
      ? [...state.checkpoint.by("task_id", id)].some(
          ({ command, run }) => command === verify && run?.exit === 0,
        )
      : lastRunOn(state, verify, tree)?.run?.exit === 0
  return isMet
    ? []
    : [`\`${verify}\` has not passed on the present files (${callText("task", "complete")} runs it)`]
}

export function lastRunOn(state: GraphState, check: string, tree: string): Checkpoint | undefined {
  for (const checkpoint of state.checkpoint.by("checked", check).backwards())
    if (checkpoint.run?.tree === tree) return checkpoint
  return undefined
}

/** The evidence for a task without `verify`: something recorded, a check to run because its result is unclear, or only words. */
export function recordedEvidence(
  state: GraphState,
  task: Task,
  projectDir: string,
  words: string,
  declared: readonly string[],
): "something" | { unclearCheck: string } | "words" {
  const trail = [...state.checkpoint.by("task_id", task.id)]
  const isAboutGit = ABOUT_GIT.test(`${task.title} ${task.expected_output}`)
  const hasWork =
    trail.some(({ files }) => files.length > 0) ||
    !isEmpty(state.artifact.by("task_id", task.id)) ||
    !isEmpty(state.mem.by("origin_task_id", task.id)) ||
    !isEmpty(tasksIn(state, "level", task.id, isDoneTask)) ||
    namedPaths(words).some((path) => isFileSince(projectDir, path, beganAt(task)))
  if (hasWork) return "something"
  const ran = trail.filter(({ ok, command }) => ok && command !== null)
  if (ran.some(({ did, command }) => did.length > 0 || (isAboutGit && changesGit(command ?? ""))))
    return "something"
  const checks = ran.flatMap(({ command }) => findChecks(command ?? "", declared))
  const check = checks.findLast(({ kind }) => kind !== "commit")
  return check === undefined ? "words" : { unclearCheck: check.text }
}

function beganAt({ started_at, created_at }: Task): number {
  return Date.parse(started_at ?? created_at)
}

function namedPaths(words: string): string[] {
  return words
    .slice(0, 10_000)
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
    return false // It is not a valid file name.
  }
}

/** Returns a test whether the task may have deleted a file: in the last call that changed the file, or by a later command. */
export function removedIn(trail: readonly Checkpoint[]): (path: string) => boolean {
  let writes: Map<string, { checkpoint: Checkpoint; at: number }> | undefined
  const lastCommand = trail.findLastIndex(({ command }) => command !== null)
  return (path) => {
    writes ??= new Map(
      trail.flatMap((checkpoint, at) => checkpoint.files.map((file) => [file, { checkpoint, at }] as const)),
    )
    const last = writes.get(path)
    return last !== undefined && (last.checkpoint.removed.includes(path) || lastCommand >= last.at)
  }
}

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
