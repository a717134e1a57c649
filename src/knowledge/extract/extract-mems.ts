import { currentTask } from "../../graph/current-task.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { ALL } from "../../graph/indexes.ts"
import { isAnchorKept, isMemInForce } from "../../graph/lifecycle.ts"
import { findSameText, memsBy } from "../../graph/mem-status.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { commitsMadeHere, filesOfCommit, type MadeCommit } from "../../project/git/git.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { cleanText, shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { existsIn } from "../../work/task/evidence.ts"
import type { SessionCaller } from "../../work/write.ts"
import { addOnce, knownMems, MAX_EVIDENCE, memByRule, replaceMems } from "../memory/by-rule.ts"

/** Makes a mem of each recently completed task. Older tasks are left out, because their mems would expire at once. */
export async function extractFinishedTasks(hive: Hive, caller: Caller): Promise<Mem[]> {
  return addOnce(hive, caller, await runInSlices(memsOfFinished(hive)))
}

/** Returns the new mems, oldest first. A task completed during a pause gets its mem on the next turn. */
function* memsOfFinished(hive: Hive): Pausing<Mem[]> {
  const { store, source, config, dir } = hive
  const hours = Math.min(config.stale_after_hours, MAX_AGE_HOURS)
  const oldest = new Date(source.now() - hours * HOUR_MS).toISOString()
  const { state } = store.read()
  const isKnown = knownMems(hive)
  const mems: Mem[] = []
  let count = 0
  for (const task of completedSince(state, oldest)) {
    if (++count % PAUSE_EVERY === 0) yield
    // A report task needs no mem: its result is kept as the session's report.
    if (hasMem(state, task) || task.purpose === "report" || isUnplanned(task)) continue
    const files = filesOf(state, task, dir)
    if (isTrivial(task, files)) continue
    const mem = taskMem(hive, task, files)
    // Duplicates are left out here, because they would use up `MAX_TASKS` on every turn.
    if (!isKnown(mem.id) && findSameText(state, mem) === undefined) mems.push(mem)
  }
  return mems.reverse().slice(0, MAX_TASKS)
}

function completedSince(state: GraphState, oldest: string): Task[] {
  const found: Task[] = []
  for (const task of state.task.by("completed", ALL).backwards()) {
    if (task.completed_at === null || task.completed_at <= oldest) break
    found.push(task)
  }
  return found
}

function hasMem(state: GraphState, { id, completed_at }: Task): boolean {
  for (const mem of memsBy(state, "origin_task_id", id))
    if (mem.origin === "finished_task" && mem.created_at === completed_at) return true
  return false
}

/** True if a task has no files and hardly any evidence. Its mem would repeat the title, which the plan already has. */
function isTrivial({ evidence }: Task, files: string[]): boolean {
  return files.length === 0 && (evidence ?? "").trim().split(/\s+/).length < MIN_WORDS
}

function taskMem(hive: Hive, task: Task, files: string[]): Mem {
  const { id, title, evidence, assigned_session_id, completed_at } = task
  return memByRule(hive, completed_at ?? task.updated_at, {
    // A task that is completed again after an undo gets another mem.
    id: derivedId("finished task", id, completed_at ?? ""),
    shelf: "done",
    origin: "finished_task",
    kind: "fact",
    content: shorten(evidence === null ? title : `${title}: ${evidence}`, MAX_TASK_CHARS),
    session_id: assigned_session_id,
    stamp: task.stamp,
    origin_task_id: id,
    evidence: files,
    branch: task.branch,
  })
}

function filesOf(state: GraphState, { id }: Task, dir: string): string[] {
  const files: string[] = []
  for (const { path } of state.artifact.by("task_id", id)) {
    if (files.length >= MAX_EVIDENCE) break
    if (existsIn(dir, path)) files.push(path)
  }
  return files
}

/** Makes a mem of every decision anchor. Changing or removing the anchor supersedes the old mem. */
export async function extractDecisions(hive: Hive, caller: Caller): Promise<Mem[]> {
  const { state } = hive.store.read()
  const decisions = [...state.anchor.values()]
    .filter(({ type, status }) => type === "decision" && status !== "stale")
    .map((anchor) => {
      const mem = isAnchorKept(anchor) ? decisionMem(hive, anchor) : null
      return { mem, outdated: memsOfAnchor(state, anchor).filter(({ id }) => id !== mem?.id) }
    })
  const made: Mem[] = []
  for (const { mem, outdated } of decisions)
    if (outdated.length > 0) made.push(...(await replaceMems(hive, caller, outdated, mem)))
  const fresh = decisions.flatMap(({ mem, outdated }) => (mem !== null && outdated.length === 0 ? [mem] : []))
  return [...made, ...(await addOnce(hive, caller, fresh))]
}

function memsOfAnchor(state: GraphState, { id }: Anchor): Mem[] {
  return [...state.mem.by("related_to", id)].filter((mem) => mem.origin === "anchor" && isMemInForce(mem))
}

function decisionMem(
  hive: Hive,
  { id, key, value, session_id, related_to, updated_at, stamp, branch }: Anchor,
): Mem {
  const { task } = hive.store.read().state
  return memByRule(hive, updated_at, {
    id: derivedId("decision of an anchor", id, value),
    shelf: "decisions",
    origin: "anchor",
    kind: "decision",
    content: cleanText(`${key}: ${value}`, MAX_DECISION_CHARS),
    session_id,
    stamp,
    origin_task_id: related_to.find((each) => task.has(each)) ?? null,
    resolved: true,
    related_to: [id],
    branch,
  })
}

export async function extractCommits(hive: Hive, caller: SessionCaller): Promise<Mem[]> {
  const { store, source, config, dir } = hive
  const session = sessionOf(store.read().state, caller.session)
  if (session === undefined) return []
  // Older commits are left out: their mems would expire at once.
  const oldest = source.now() - config.stale_after_hours * HOUR_MS
  const commits = await commitsMadeHere(dir, Math.max(Date.parse(session.created_at), oldest))
  const isKnown = knownMems(hive)
  // Only the newest commits are looked at. Those that get no mem come up again each turn and would crowd out newer ones.
  const unknown = commits.filter(({ hash }) => !isKnown(commitId(hash))).slice(-MAX_COMMITS)
  const made: Mem[] = []
  const fresh: Mem[] = []
  for (const commit of unknown) {
    const files = (await filesOfCommit(dir, commit.hash))?.filter(
      (path) => !path.startsWith(`${HIVE_FOLDER}/`),
    )
    // A commit that changed only other folders or HiveMind's own files is skipped. If git cannot list its files, it is kept.
    if (files?.length === 0) continue
    const mem = commitMem(hive, commit, files ?? [], caller.session)
    const { state } = store.read()
    const amended = commit.replaces === null ? undefined : state.mem.get(commitId(commit.replaces))
    if (amended !== undefined && isMemInForce(amended))
      made.push(...(await replaceMems(hive, caller, [amended], mem)))
    else fresh.push(mem)
  }
  return [...made, ...(await addOnce(hive, caller, fresh))]
}

function commitMem(
  hive: Hive,
  { hash, at, subject, body }: MadeCommit,
  files: string[],
  session_id: string,
): Mem {
  const lines = body.split("\n").filter((line) => line.trim() !== "" && !TRAILER.test(line))
  const words = cleanText([subject, ...lines].join("\n"), MAX_COMMIT_CHARS)
  return memByRule(hive, new Date(at).toISOString(), {
    id: commitId(hash),
    shelf: "commits",
    origin: "commit",
    kind: "fact",
    content: shorten(words, MAX_COMMIT_CHARS) || "a commit without a message",
    session_id,
    origin_task_id: taskOf(hive.store.read().state, session_id, at),
    tags: [hash.slice(0, SHORT_HASH)],
    evidence: files,
  })
}

/** The task whose call made the commit: that of the first checkpoint after it with a commit command, else the current task. */
function taskOf(state: GraphState, hostId: string, at: number): string | null {
  const from = new Date(at).toISOString()
  let found: Checkpoint | undefined
  for (const checkpoint of state.checkpoint.by("session", hostId).backwards()) {
    if (checkpoint.created_at < from) break
    if (checkpoint.ok && /\bcommit\b/.test(checkpoint.command ?? "")) found = checkpoint
  }
  return found?.task_id ?? currentTask(state, hostId)?.id ?? null
}

const commitId = (hash: string): string => derivedId("commit", hash)

const MAX_AGE_HOURS = 30 * 24
// Limits the first turn in a project with many finished tasks. The others get their mems on later turns.
const MAX_TASKS = 20
const MAX_TASK_CHARS = 400
const MIN_WORDS = 4
const PAUSE_EVERY = 100
const MAX_DECISION_CHARS = 2000
const TRAILER = /^[A-Za-z-]+-by: /
const MAX_COMMITS = 10
const MAX_COMMIT_CHARS = 300
const SHORT_HASH = 8
