import { compare } from "../../graph/by-age.ts"
import { familyOf } from "../../graph/conversation.ts"
import { isGivenUpTask } from "../../graph/lifecycle.ts"
import { placeOf } from "../../graph/place.ts"
import { headOf, intentOf, sessionIdOf, sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Session, TurningPoint } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { merge } from "../../shared/merge.ts"
import { shorten } from "../../shared/text/clean.ts"

/** Saves the report with the points that the session's next compaction has to keep. Returns it, or null if there is nothing to say. */
export async function writeReport(hive: Hive, caller: Caller & { session: string }): Promise<string | null> {
  const { state } = hive.store.read()
  const session = sessionOf(state, caller.session)
  if (session === undefined) return null
  const next_report = reportOf(state, session)
  const at = new Date(hive.source.now()).toISOString()
  await hive.store.write(authorOf(caller), (tx) =>
    tx.set("session", sessionIdOf(caller.session), { next_report, updated_at: at }),
  )
  return next_report
}

/** The report by rules, with the turning points that still hold. Abandoned ones are named, so that the summary leaves them out. */
export function reportOf(state: GraphState, session: Session): string | null {
  const head = headOf(state, session.host_id)
  const { plan, phase, tasks } = placeOf(state, head)
  const intent = intentOf(state, head) ?? session.intent
  const chain = [plan?.title, phase?.inbox ? undefined : phase?.title, tasks[0]?.title]
  const isAbandoned = ({ kind }: TurningPoint) => kind === "abandoned"
  const abandoned = session.turning_points.filter(isAbandoned)
  const kept = session.turning_points.filter((point) => !isAbandoned(point))
  const parts = [
    line("Goal", intent),
    line("Done when", plan?.acceptance.join("; ")),
    line("The work stood at", chain.filter((title) => title !== undefined).join(" › ")),
    list(
      "It turned on",
      kept.map(({ kind, text }) => `${kind}: ${text}`),
    ),
    list(
      "Leave out, it was given up",
      abandoned.map(({ text }) => text),
    ),
    list("Files that matter", filesOf(state, session.host_id)),
  ]
  const report = parts.filter((part) => part !== "").join("\n")
  return report === "" ? null : report
}

/** Files that the session has written, the latest first, without those of tasks that were given up. */
function filesOf(state: GraphState, session: string): string[] {
  const trails = Array.from(familyOf(state, session), (each) =>
    state.checkpoint.by("session", each).backwards(),
  )
  const files = new Map<string, string>()
  for (const { ok, files: paths, task_id } of merge(trails, byNewest)) {
    if (files.size >= MAX_FILES) break
    const task = state.task.get(task_id)
    if (!ok || isGivenUpTask(task)) continue
    for (const path of paths)
      if (!files.has(path) && path.length <= MAX_PATH) files.set(path, task?.title ?? "")
  }
  return [...files].slice(0, MAX_FILES).map(([path, title]) => `${path} (${shorten(title, 40)})`)
}

function byNewest(a: Checkpoint, b: Checkpoint): number {
  return compare(b.created_at, a.created_at)
}

function line(name: string, text: string | null | undefined): string {
  return text ? `${name}: ${shorten(text, MAX_LINE)}` : ""
}

function list(name: string, texts: string[]): string {
  return texts.length === 0
    ? ""
    : [`${name}:`, ...texts.map((text) => `- ${shorten(text, MAX_LINE)}`)].join("\n")
}

const MAX_FILES = 10
const MAX_PATH = 150
const MAX_LINE = 300
