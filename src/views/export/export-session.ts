import { isDeepStrictEqual } from "node:util"
import { compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenTask, isOverTask, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { newMems } from "../../graph/mem-status.ts"
import { numberIn, registersOf } from "../../graph/metrics.ts"
import { ancestorsOf, type Place, placeOf } from "../../graph/place.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { groupsIn } from "../../graph/tasks-in.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import { EXPORT_LIMITS, type ExportIssue, type SessionExport, sessionExport } from "../../schemas/export.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import type { Session } from "../../schemas/session.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { sortPausing } from "../../shared/sorting.ts"
import { cleanText, shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { callText } from "../../shared/tool-names.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { existsIn, missingCheck, missingEvidence, removedIn } from "../../work/task/evidence.ts"
import { createExport, lastExport, pruneExports } from "./export-folder.ts"
import { synthesise } from "./synthesis.ts"

type Exported = Awaited<ReturnType<typeof write>>

/** Exports a session, even if nothing has changed since its last export. */
export async function exportSession(hive: Hive, caller: Caller, hostId: string): Promise<Exported> {
  const session = sessionOf(hive.store.read().state, hostId)
  if (session === undefined)
    throw new HiveError({
      code: "not_found",
      what: "Nothing was exported.",
      why: "HiveMind has no record of this session yet.",
      use_instead: `State its intent first: ${callText("session", "start")}.`,
      evidence: hostId,
    })
  if (session.parent_host_id !== null)
    throw new HiveError({
      code: "invalid_argument",
      what: "Nothing was exported.",
      why: "This is a subagent's session. Its work is part of its parent's export.",
      use_instead: `Export the session ${session.parent_host_id}.`,
      evidence: `session ${session.host_id}: parent_host_id = ${session.parent_host_id}`,
    })
  return write(hive, caller, await draft(hive, session), null)
}

/** Exports a session after a turn that changed something. `words` reads the last message. Subagents are not exported. */
export async function exportOnIdle(
  hive: Hive,
  caller: Caller & { session: string },
  words: () => Promise<string>,
): Promise<Exported | undefined> {
  if (!hive.config.export_on_idle) return undefined
  const session = sessionOf(hive.store.read().state, caller.session)
  if (session === undefined || session.parent_host_id !== null) return undefined
  const drafted = await draft(hive, session)
  const { last, content } = drafted
  const isRepeat = last !== undefined && isUnchanged(content, last)
  // An export that was requested during the turn lacks the turn's last message, so it is written again with it.
  if (isRepeat && last.last_message !== null) return undefined
  const message = cleanText(await words(), EXPORT_LIMITS.message) || null
  return isRepeat && message === null ? undefined : write(hive, caller, drafted, message)
}

async function draft(hive: Hive, session: Session) {
  const now = hive.source.now()
  const { last, highest } = lastExport(hivePaths(hive.home), session)
  // If the clock was ahead at the last export, new records would seem older than that export.
  const isAhead = last !== undefined && Date.parse(last.exported_at) > now
  const since = isAhead ? session.created_at : (last?.exported_at ?? session.created_at)
  const counted = numberIn(registersOf(hive.store.read().state, session.host_id), REGISTER)
  const content = await runInSlices(contentOf(hive, session, since, now))
  // The larger of both: after a crash the register can be too low, and a person may have deleted files.
  return { session, last, number: Math.max(counted, highest) + 1, since, now, content }
}

async function write(
  hive: Hive,
  caller: Caller,
  { session, number, since, now, content }: Awaited<ReturnType<typeof draft>>,
  last_message: string | null,
) {
  const { host_id, stamp, intent, mode } = session
  const wanted = sessionExport.parse({
    version: 1,
    number,
    session: { host_id, stamp, intent, mode },
    exported_at: new Date(now).toISOString(),
    since,
    last_message,
    ...content,
  } satisfies SessionExport)
  const { name, record } = createExport(hivePaths(hive.home), wanted)
  await hive.store.append(authorOf(caller), (tx) => tx.register(host_id, REGISTER, record.number))
  const synthesis = await synthesise(hive, caller, session, record.number)
  pruneExports(hive)
  return { name, record, synthesis }
}

type ExportContent = Pick<
  SessionExport,
  "staleness_hours" | "is_stale" | "hierarchy" | "files" | "mems" | "validation"
>

function* contentOf(hive: Hive, session: Session, since: string, now: number): Pausing<ExportContent> {
  const view = hive.store.read()
  const { state } = view
  const place = placeOf(state, headOf(state, session.host_id))
  const checkpoints = [...state.checkpoint.by("session", session.host_id)]
  const fresh = checkpoints.filter(({ created_at }) => created_at > since)
  yield
  const issues = yield* issuesOf(view, place, checkpoints, hive.dir)
  const staleness_hours = stalenessOf(state, place, session, now)
  return {
    staleness_hours,
    is_stale: staleness_hours > STALE_HOURS,
    hierarchy: yield* hierarchyOf(state, place),
    files: writtenIn(fresh)
      .slice(-EXPORT_LIMITS.files)
      .sort()
      .map((path) => ({ path, exists: existsIn(hive.dir, path) })),
    mems: memsSince(state, session.host_id, since),
    validation: { is_complete: issues.length === 0, issues },
  }
}

function isUnchanged(content: ExportContent, last: SessionExport): boolean {
  const { files, mems, hierarchy, validation } = content
  if (files.length > 0 || mems.length > 0) return false
  return isDeepStrictEqual(
    { hierarchy, validation },
    { hierarchy: last.hierarchy, validation: last.validation },
  )
}

function writtenIn(checkpoints: Checkpoint[]): string[] {
  return [...new Set(checkpoints.filter(({ ok }) => ok).flatMap(({ files }) => files))]
}

function memsSince(state: GraphState, hostId: string, since: string): SessionExport["mems"] {
  return newMems(state, since)
    .filter((mem) => mem.session_id === hostId && !isByRule(mem))
    .sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
    .slice(-EXPORT_LIMITS.mems)
    .map(({ id, kind, origin_task_id, content }) => ({
      id,
      kind,
      task_id: origin_task_id,
      gist: shorten(content, GIST_CHARS),
    }))
}

/** The hours since the last change or checkpoint of the active tasks, or of the session if it has no active task. */
function stalenessOf(state: GraphState, { tasks }: Place, session: Session, now: number): number {
  const { checkpoint } = state
  const records = tasks.length === 0 ? [session] : tasks
  const trails =
    tasks.length === 0
      ? [checkpoint.by("session", session.host_id)]
      : tasks.map(({ id }) => checkpoint.by("task_id", id))
  const newest = trails.flatMap((trail) => first(1, trail.backwards()))
  const changes = [...records.map((each) => each.updated_at), ...newest.map((each) => each.created_at)]
  const last = Math.max(...changes.map((at) => Date.parse(at)))
  return Math.max(0, Math.round(((now - last) / HOUR_MS) * 100) / 100)
}

function* hierarchyOf(state: GraphState, place: Place): Pausing<SessionExport["hierarchy"]> {
  const { plan, phase } = place
  return {
    plan: plan === undefined ? null : { id: plan.id, title: plan.title, status: plan.status },
    phase:
      phase === undefined || phase.parent_plan_id !== plan?.id
        ? null
        : { id: phase.id, title: phase.title, status: phase.status, plan_id: phase.parent_plan_id },
    tasks: (yield* tasksAround(state, place)).map((task) => ({
      id: task.id,
      title: task.title,
      status: task.status,
      at_hand: place.tasks.includes(task),
      plan_id: task.parent_plan_id,
      phase_id: task.parent_phase_id,
      parent_task_id: task.parent_task_id,
    })),
    anchors: [...state.anchor.by("kept", ALL)]
      .sort(byPriority)
      .slice(0, EXPORT_LIMITS.anchors)
      .map(({ id, key, priority, status, related_to }) => ({ id, key, priority, status, related_to })),
  }
}

/** The active tasks and their ancestors, then the open tasks of the phase, then its finished tasks, newest first. */
function* tasksAround(state: GraphState, { plan, phase, tasks }: Place): Pausing<Task[]> {
  const near = [...tasks, ...tasks.flatMap((task) => ancestorsOf(state, task))]
  const place = phase === undefined ? "plan" : "phase"
  const beside = (isWanted: (task: Pick<Task, "status">) => boolean): Task[] =>
    groupsIn(state, place, phase?.id ?? plan?.id ?? "", isWanted).flatMap((group) => [...group])
  const isOver = (task: Pick<Task, "status">) => isOverTask(task) && task.status !== "invalidated"
  const open = (yield* sortPausing(beside(isOpenTask), byTime)).slice(0, EXPORT_LIMITS.tasks)
  const over = (yield* sortPausing(beside(isOver), byTime)).slice(-EXPORT_LIMITS.tasks).reverse()
  return [...new Set([...near, ...open, ...over])]
    .filter(({ parent_plan_id }) => parent_plan_id === plan?.id)
    .slice(0, EXPORT_LIMITS.tasks)
}

const byTime = (a: Task, b: Task): number => compare(a.updated_at, b.updated_at) || compare(a.id, b.id)

function byPriority(a: Anchor, b: Anchor): number {
  return PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.key.localeCompare(b.key)
}

/** Lists unfinished tasks, open decisions, missing evidence and missing files. `checkpoints` are sorted oldest first. */
function* issuesOf(
  { state, problems }: ReturnType<Hive["store"]["read"]>,
  place: Place,
  checkpoints: Checkpoint[],
  dir: string,
): Pausing<ExportIssue[]> {
  const { plan, tasks } = place
  const issues: ExportIssue[] = []
  const add = (kind: ExportIssue["kind"], text: string) =>
    issues.push({ kind, text: shorten(text, MAX_CHARS) })

  for (const task of tasks) {
    if (!isTaskUnderWay(task)) continue
    add("task", `"${task.title}" is ${task.status}`)
    for (const missing of [...missingCheck(state, task), ...(yield* missingEvidence(state, task, dir))])
      add("evidence", `"${task.title}": ${missing}`)
  }
  for (const { id, content } of state.mem.by("undecided", ALL))
    if ([...state.task.by("decisions", id)].some(({ parent_plan_id }) => parent_plan_id === plan?.id))
      add("decision", `undecided: ${content}`)
  const required = [plan?.sot_document_path, ...tasks.map(({ file }) => file)].flatMap((path) => path ?? [])
  const wasRemoved = removedIn(checkpoints)
  const isMissing = (path: string) => !existsIn(dir, path)
  const gone = writtenIn(checkpoints)
    .slice(-MAX_FILES)
    .filter((path) => isMissing(path) && !wasRemoved(path))
  for (const path of [...required.filter(isMissing), ...gone]) add("file", `${path} is missing`)
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  if (quarantined > 0) add("quarantine", `${quarantined} record(s) of the graph could not be read`)
  return [...new Map(issues.map((issue) => [issue.text, issue])).values()].slice(0, EXPORT_LIMITS.issues)
}

const REGISTER = "exports"
const STALE_HOURS = 48
const GIST_CHARS = 160
const PRIORITIES: readonly Anchor["priority"][] = ["critical", "high", "medium", "low"]
const MAX_CHARS = 300
const MAX_FILES = 200
