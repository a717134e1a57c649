import { randomUUID } from "node:crypto"
import { readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { systemCode } from "./system-error.ts"

/** The kernel's own number for the namespace that it starts with. */
const MACHINE_NAMESPACE = "4026531836"

/** A process, so that another one can tell later whether it is still there. */
export interface ProcessIdentity {
  /** Where its id means that process: a machine's name, in a container with the container's own count of processes. */
  host: string
  pid: number
  /** Of this one alone: in a container the next process often has the id of the last. */
  token: string
}

export const thisProcess: Readonly<ProcessIdentity> = {
  host: hostname() + processNamespace(),
  pid: process.pid,
  token: randomUUID(),
}

/**
 * "unknown" of a process on another machine, or in another container: its id says nothing here. Whoever asks then goes
 * by how long ago it was heard of.
 */
export function stateOfProcess({ host, pid, token }: ProcessIdentity): "alive" | "dead" | "unknown" {
  if (host !== thisProcess.host) return "unknown"
  if (pid === thisProcess.pid) return token === thisProcess.token ? "alive" : "dead"
  try {
    process.kill(pid, 0)
    return "alive"
  } catch (error) {
    // One of another user's is there, too.
    return systemCode(error) === "ESRCH" ? "dead" : "alive"
  }
}

/** Two containers may have one name, each with its own process 7. On the machine itself, and without /proc, it is empty. */
function processNamespace(): string {
  try {
    const [, id] = /\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid")) ?? []
    return id === undefined || id === MACHINE_NAMESPACE ? "" : `/${id}`
  } catch {
    return "" // No Linux, or /proc is not there.
  }
}

/** In one line, for a register. */
export function identityText({ host, pid, token }: ProcessIdentity): string {
  return [host, pid, token].join(" ")
}

/** Undefined for a text that is none. What stands behind the three words is `rest`. */
export function identityIn(text: string): (ProcessIdentity & { rest: string[] }) | undefined {
  const [host, pid, token, ...rest] = text.split(" ")
  if (!host || !token || !/^[1-9]\d*$/.test(pid ?? "")) return undefined
  return { host, pid: Number(pid), token, rest }
}
