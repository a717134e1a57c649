import { isActiveSession, isClosedSession } from "../graph/lifecycle.ts"
import { registersOf } from "../graph/metrics.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import { isAddOf } from "../schemas/op.ts"
import { identityIn, identityText, stateOfProcess, thisProcess } from "../shared/process-identity.ts"
import type { Hive } from "./hive.ts"

/** The register of a session with the process that it last ran in. */
export const HOST_PROCESS = "host_process"
export const THIS_PROCESS = identityText(thisProcess)
/** Of a restored session: its process is unknown, and counts as ended until the session is seen again. */
const ENDED_BEFORE_RESTORE = "ended"

/**
 * Marks the open sessions of these writers as ended. For a restored hive: its counters are lost, so a session that has
 * ended looks like one that runs. A session that still runs notes its process with its next call.
 */
export async function endRestoredSessions(
  { store }: Pick<Hive, "store">,
  isOwn: (writer: string) => boolean,
): Promise<void> {
  const { state } = store.read()
  const entries = await store.log({ kinds: ["session"] })
  const made = entries
    .filter(({ writer }) => isOwn(writer))
    .flatMap(({ ops }) => ops.flatMap((op) => (isAddOf(op, "session") ? op.record.id : [])))
  const open = made
    .flatMap((id) => state.session.get(id) ?? [])
    .filter((session) => isActiveSession(session) && !state.metrics.has(session.host_id))
  if (open.length === 0) return
  await store.append({ tool: "restore", session: null, agent: null }, (tx) => {
    for (const { host_id } of open) tx.register(host_id, HOST_PROCESS, ENDED_BEFORE_RESTORE)
  })
}

/** State of the process that a session last ran in; undefined if none was noted. */
export function hostState(
  state: GraphState,
  session: string | null,
): ReturnType<typeof stateOfProcess> | undefined {
  const text = String(registersOf(state, session)[HOST_PROCESS] ?? "")
  if (text === ENDED_BEFORE_RESTORE) return "dead"
  const noted = identityIn(text)
  return noted === undefined ? undefined : stateOfProcess(noted)
}

/** True if its process has ended. Unknown for one on another machine or in another container. */
export function hasHostEnded(state: GraphState, session: string): boolean {
  return hostState(state, session) === "dead"
}

/** True if it was closed or deleted, or its process has ended: it holds no task any more. */
export function isSessionOver(state: GraphState, session: string): boolean {
  return isClosedSession(sessionOf(state, session)) || hasHostEnded(state, session)
}
