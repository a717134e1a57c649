import { isDeepStrictEqual } from "node:util"
import { newMems } from "../../graph/new-mems.ts"
import { type Place, placeOf } from "../../graph/place.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import { EXPORT_LIMITS, type SessionExport } from "../../schemas/export.ts"
import type { Session } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { existsIn } from "../../work/task/evidence.ts"
import { hierarchyOf } from "./hierarchy.ts"
import { issuesOf } from "./issues.ts"

/** The part of an export that comes from the graph and the disk. */
export type ExportContent = Pick<
  SessionExport,
  "staleness_hours" | "is_stale" | "hierarchy" | "files" | "mems" | "validation"
>

export function* contentOf(hive: Hive, session: Session, since: string, now: number): Pausing<ExportContent> {
  const { state, problems } = hive.store.read()
  const place = placeOf(state, headOf(state, session.host_id))
  const checkpoints = [...state.checkpoint.by("session", session.host_id)]
  const fresh = checkpoints.filter(({ created_at }) => created_at > since)
  const { dir } = hive
  const written = writtenIn(checkpoints)
  yield
  const issues = yield* issuesOf({ state, place, problems, checkpoints, written, dir })
  const staleness_hours = stalenessOf(state, place, session, now)
  return {
    staleness_hours,
    is_stale: staleness_hours > STALE_HOURS,
    hierarchy: yield* hierarchyOf(state, place),
    files: writtenIn(fresh)
      .slice(-EXPORT_LIMITS.files)
      .sort()
      .map((path) => ({ path, exists: existsIn(dir, path) })),
    mems: memsSince(state, session.host_id, since),
    validation: { is_complete: issues.length === 0, issues },
  }
}

/** True if an export would repeat the last one: no file written, no mem saved, the same hierarchy and issues. */
export function isUnchanged(content: ExportContent, last: SessionExport): boolean {
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

/** Hours since the last change or checkpoint of the tasks at hand, or of the session if it has none. */
function stalenessOf(state: GraphState, { tasks }: Place, session: Session, now: number): number {
  const trails =
    tasks.length === 0
      ? [state.checkpoint.by("session", session.host_id)]
      : tasks.map(({ id }) => state.checkpoint.by("task_id", id))
  let last = 0
  for (const { updated_at } of tasks.length === 0 ? [session] : tasks)
    last = Math.max(last, Date.parse(updated_at))
  for (const trail of trails) {
    const [newest] = trail.backwards()
    if (newest !== undefined) last = Math.max(last, Date.parse(newest.created_at))
  }
  return Math.max(0, Math.round(((now - last) / HOUR_MS) * 100) / 100)
}

const STALE_HOURS = 48
const GIST_CHARS = 160
