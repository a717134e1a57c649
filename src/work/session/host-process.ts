import { registersOf } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import { identityIn, identityText, stateOfProcess, thisProcess } from "../../shared/process-identity.ts"

/** The register of a session that names the process it was seen in last. */
export const HOST_PROCESS = "host_process"
export const THIS_PROCESS = identityText(thisProcess)

/** Of the process that a session was seen in last; undefined where none was noted. */
export function hostState(
  state: GraphState,
  session: string | null,
): ReturnType<typeof stateOfProcess> | undefined {
  const noted = identityIn(String(registersOf(state, session)[HOST_PROCESS] ?? ""))
  return noted === undefined ? undefined : stateOfProcess(noted)
}

/** It ended with its process. Of one on another machine, or in another container, that cannot be known. */
export function hasHostEnded(state: GraphState, session: string): boolean {
  return hostState(state, session) === "dead"
}
