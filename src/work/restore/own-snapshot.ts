import { firstSession } from "../../graph/conversation.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { HiveError } from "../../shared/error.ts"
import { type SnapshotRecord, snapshotId } from "../../snapshots/records.ts"
import type { Snapshots } from "../../snapshots/snapshots.ts"
import type { RestorePlan } from "./restore-snapshot.ts"

/** Was the snapshot taken for a call of this conversation: of the session, one that it continues, or a subagent? */
export function isOwnSnapshot(
  state: GraphState,
  session: string,
  { session: taken }: SnapshotRecord,
): boolean {
  if (taken === null) return false
  const find = (host: string) => sessionOf(state, host)
  return firstSession(find, taken) === firstSession(find, session)
}

/**
 * A model may restore what its own conversation alone has changed, and nobody has touched since. Everything else may be a
 * person's work, and takes a person.
 */
export async function requireOwnChange(
  state: GraphState,
  session: string,
  plan: RestorePlan,
  snapshots: Snapshots,
): Promise<void> {
  const why = await whyNotOwn(state, session, plan, snapshots)
  if (why === undefined) return
  const id = snapshotId(plan.record)
  throw new HiveError({
    code: "protected",
    what: `${id} was not restored.`,
    why,
    use_instead: `Ask the user to run \`hivemind restore ${id}\`.`,
    evidence: id,
  })
}

/** Why a model may not restore it; undefined where the conversation alone has changed all of it. */
async function whyNotOwn(
  state: GraphState,
  session: string,
  { record, now, files }: RestorePlan,
  snapshots: Snapshots,
): Promise<string | undefined> {
  if (!isOwnSnapshot(state, session, record)) return "It was not taken for a call of this session."
  if (record.isOverlapped) return "Other calls ran at the same time, so the changes may be theirs."
  if (record.after === null) return "The call was not seen to end, so the changes may be somebody else's."
  const [conflict] = files.conflicts
  if (conflict !== undefined) return `${conflict.path}: ${conflict.why}.`
  const [called, since] = await Promise.all([
    snapshots.changes(record.before, record.after),
    snapshots.changes(record.after, now),
  ])
  const foreign = files.write.find(({ path }) => !called.has(path) || since.has(path))
  return foreign === undefined ? undefined : `${foreign.path} was changed by another call or a person.`
}
