import { randomUUID } from "node:crypto"
import { readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { systemCode } from "./system-error.ts"

/** The kernel's own number for the namespace that it starts with. */
const MACHINE_NAMESPACE = "4026531836"

/** Identifies a process, so that another one can check later whether it is still alive. */
export interface ProcessIdentity {
  /** Where its pid is valid: the machine's name, in a container with the container's process namespace. */
  host: string
  pid: number
  /** Unique to this process: in a container the next process often reuses the pid. */
  token: string
}

export const thisProcess: Readonly<ProcessIdentity> = {
  host: hostname() + processNamespace(),
  pid: process.pid,
  token: randomUUID(),
}

/**
 * "unknown" for a process on another machine or in another container, as its id means nothing here. Callers then decide by
 * the age of its last sign of life.
 */
export function stateOfProcess({ host, pid, token }: ProcessIdentity): "alive" | "dead" | "unknown" {
  if (host !== thisProcess.host) return "unknown"
  if (pid === thisProcess.pid) return token === thisProcess.token ? "alive" : "dead"
  try {
    process.kill(pid, 0)
    return "alive"
  } catch (error) {
    // A process of another user cannot be signalled, but it is alive.
    return systemCode(error) === "ESRCH" ? "dead" : "alive"
  }
}

/** Two containers may share a host name. Empty outside of containers, and without /proc. */
function processNamespace(): string {
  try {
    const [, id] = /\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid")) ?? []
    return id === undefined || id === MACHINE_NAMESPACE ? "" : `/${id}`
  } catch {
    return "" // Not Linux, or no /proc.
  }
}

/** As one line, for a register. */
export function identityText({ host, pid, token }: ProcessIdentity): string {
  return [host, pid, token].join(" ")
}

/** Reads such a line; undefined if it is none. Further words are `rest`. */
export function identityIn(text: string): (ProcessIdentity & { rest: string[] }) | undefined {
  const [host, pid, token, ...rest] = text.split(" ")
  if (!host || !token || !/^[1-9]\d*$/.test(pid ?? "")) return undefined
  return { host, pid: Number(pid), token, rest }
}
