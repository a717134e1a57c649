import { familyOf } from "../../graph/family.ts"
import { isGivenUpTask } from "../../graph/lifecycle.ts"
import { placeOf } from "../../graph/place.ts"
import { headOf, sessionIdOf, sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Session, TurningPoint } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"

/** Writes down what the session's next compaction is to keep. Returns the report, or null where there is nothing to say. */
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

/**
 * The report by rules. It builds on the last one through the session's turning points: those that still hold are told
 * again, those that are over are gone, and what was given up is named so that it is not kept.
 */
export function reportOf(state: GraphState, session: Session): string | null {
  const head = headOf(state, session.host_id)
  const { plan, phase, tasks } = placeOf(state, head)
  const intent = head?.intent ?? session.intent
  const place = [plan?.title, phase?.inbox ? undefined : phase?.title, tasks[0]?.title]
  const [leave, keep] = split(session.turning_points, ({ kind }) => kind === "abandoned")
  const parts = [
    line("Goal", intent),
    line("Done when", plan?.acceptance.join("; ")),
    line("The work stood at", place.filter((title) => title !== undefined).join(" › ")),
    list(
      "It turned on",
      keep.map(({ kind, text }) => `${kind}: ${text}`),
    ),
    list(
      "Leave out, it was given up",
      leave.map(({ text }) => text),
    ),
    list("Files that matter", filesOf(state, session.host_id)),
  ]
  const report = parts.filter((part) => part !== "").join("\n")
  return report === "" ? null : report
}

/** Files that the session's work has left behind, the latest first; not those of work that was given up. */
function filesOf(state: GraphState, session: string): string[] {
  const family = familyOf(state, session)
  const counts = ({ session_id, task_id, ok }: Checkpoint) =>
    ok && family.has(session_id ?? "") && !isGivenUpTask(state.task.get(task_id))
  const trail = [...state.checkpoint.values()]
    .filter(counts)
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id))
  const files = new Map<string, string>()
  for (const { files: paths, task_id } of trail)
    for (const path of paths) if (!files.has(path)) files.set(path, state.task.get(task_id)?.title ?? "")
  // Half a path is of no use.
  return [...files]
    .filter(([path]) => path.length <= MAX_PATH)
    .slice(0, MAX_FILES)
    .map(([path, title]) => `${path} (${shorten(title, 40)})`)
}

function line(name: string, text: string | null | undefined): string {
  return text ? `${name}: ${shorten(text, MAX_LINE)}` : ""
}

function list(name: string, texts: string[]): string {
  return texts.length === 0
    ? ""
    : [`${name}:`, ...texts.map((text) => `- ${shorten(text, MAX_LINE)}`)].join("\n")
}

function split(points: readonly TurningPoint[], isFirst: (point: TurningPoint) => boolean) {
  return [points.filter(isFirst), points.filter((point) => !isFirst(point))] as const
}

const MAX_FILES = 10
const MAX_PATH = 150
const MAX_LINE = 300
