import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { registersOf } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import { isOtherAlive } from "../../shared/process-alive.ts"

/** The register of a session that names the process it was seen in last: `pid token machine`. */
export const HOST_PROCESS = "host_process"
export const THIS_PROCESS = `${process.pid} ${randomUUID()} ${hostname()}`

/**
 * Is the process there that a session was seen in last? Undefined where none was noted, or one of another machine: a
 * container has its own ids. Another process with the id that a dead one had is not that one: in a container it is often
 * the same.
 */
export function isHostAlive(state: GraphState, session: string | null): boolean | undefined {
  const noted = registersOf(state, session)[HOST_PROCESS]
  if (noted === undefined) return undefined
  const [pid, token, machine = hostname()] = String(noted).split(" ")
  if (machine !== hostname()) return undefined
  return THIS_PROCESS.split(" ")[1] === token || isOtherAlive(Number(pid))
}
