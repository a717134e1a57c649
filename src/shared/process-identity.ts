import { randomUUID } from "node:crypto"
import { readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { systemCode } from "./system-error.ts"

/** The number that Linux always gives its first pid namespace, the one outside of containers. */
const MACHINE_NAMESPACE = "4026531836"

/** Identifies a process, so that another one can check later whether it is still alive. */
export interface ProcessIdentity {
  /** Where the pid is valid: the machine's name, in a container followed by its pid namespace. */
  host: string
  pid: number
  /** A random id of this process, because another process may later get the same pid. */
  token: string
}

export const thisProcess: Readonly<ProcessIdentity> = {
  host: hostname() + processNamespace(),
  pid: process.pid,
  token: randomUUID(),
}

/** "unknown" for a process of another machine or container. Callers then judge by its last recorded activity. */
export function stateOfProcess({ host, pid, token }: ProcessIdentity): "alive" | "dead" | "unknown" {
  if (host !== thisProcess.host) return "unknown"
  if (pid === thisProcess.pid) return token === thisProcess.token ? "alive" : "dead"
  try {
    process.kill(pid, 0)
    return "alive"
  } catch (error) {
    return systemCode(error) === "ESRCH" ? "dead" : "alive" // EPERM: another user's process, which is alive.
  }
}

/** Tells containers with the same host name apart. Empty outside of containers. */
function processNamespace(): string {
  try {
    const [, id] = /\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid")) ?? []
    return id === undefined || id === MACHINE_NAMESPACE ? "" : `/${id}`
  } catch {
    return "" // The system is not Linux, or has no /proc.
  }
}

export function identityText({ host, pid, token }: ProcessIdentity): string {
  return [host, pid, token].join(" ")
}

/** Parses what `identityText` wrote; undefined for other text. `rest` has the words after it. */
export function identityIn(text: string): (ProcessIdentity & { rest: string[] }) | undefined {
  const [host, pid, token, ...rest] = text.split(" ")
  if (!host || !token || !/^[1-9]\d*$/.test(pid ?? "")) return undefined
  return { host, pid: Number(pid), token, rest }
}
