import { isActiveSession, isClosedSession } from "../graph/lifecycle.ts"
import { registersOf } from "../graph/metrics.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import { isAddOf } from "../schemas/op.ts"
import { identityIn, identityText, stateOfProcess, thisProcess } from "../shared/process-identity.ts"
import type { Hive } from "./hive.ts"

/** The register with the identity of the process in which a session ran last. */
export const HOST_PROCESS = "host_process"
export const THIS_PROCESS = identityText(thisProcess)
/** Replaces the identity after a restore: the session counts as ended until it is active again. */
const ENDED_BEFORE_RESTORE = "ended"

/** After a restore, marks open sessions as ended, because their registers are lost. Active sessions set theirs again. */
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

export function hostState(
  state: GraphState,
  session: string | null,
): ReturnType<typeof stateOfProcess> | undefined {
  const text = String(registersOf(state, session)[HOST_PROCESS] ?? "")
  if (text === ENDED_BEFORE_RESTORE) return "dead"
  const noted = identityIn(text)
  return noted === undefined ? undefined : stateOfProcess(noted)
}

/** False for a process on another machine or in another container, whose state is unknown. */
export function hasHostEnded(state: GraphState, session: string): boolean {
  return hostState(state, session) === "dead"
}

/** True if the session was closed or its process has ended: other sessions may take its tasks. */
export function isSessionOver(state: GraphState, session: string): boolean {
  return isClosedSession(sessionOf(state, session)) || hasHostEnded(state, session)
}
