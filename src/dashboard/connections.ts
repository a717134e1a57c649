import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { HiveError } from "../shared/error.ts"
import { systemCode } from "../shared/system-error.ts"

/** Listens on 127.0.0.1 alone, and resolves with the port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(portError(error, port)))
    // The address of a server on a port is never a string.
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })
}

function portError(error: Error, port: number): Error {
  const code = systemCode(error)
  if (code !== "EADDRINUSE" && code !== "EACCES") return error
  const isTaken = code === "EADDRINUSE"
  const refusal = {
    code: "conflict",
    what: isTaken ? `Port ${port} is taken.` : `Port ${port} may not be used.`,
    why: isTaken ? "Another program listens there." : "The system keeps it for others.",
    use_instead: "Give another one, or leave --port out: then any that is free is taken.",
    evidence: error.message,
  } as const
  return new HiveError(refusal, { cause: error })
}

/** Slow or oversized requests are cut off. */
export const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/**
 * Limits open connections. Of those without a cookie the oldest is closed for the newest, so that idle connections of other
 * programs do not shut out the user's browser.
 */
export function limitConnections(server: Server): { markKnown: (socket: Socket) => void } {
  const unknown = new Set<Socket>()
  server.maxConnections = MAX_CONNECTIONS
  server.on("connection", (socket) => {
    unknown.add(socket)
    socket.once("close", () => unknown.delete(socket))
    const [oldest] = unknown
    if (unknown.size <= MAX_UNKNOWN || oldest === undefined) return
    unknown.delete(oldest)
    oldest.destroy()
  })
  return { markKnown: (socket) => void unknown.delete(socket) }
}

const MAX_CONNECTIONS = 128
const MAX_UNKNOWN = 32
