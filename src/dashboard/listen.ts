import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { HiveError } from "../shared/error.ts"
import { systemCode } from "../shared/system-error.ts"

/** On this machine only; says which port it is. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explained(error, port)))
    // Of a server that listens on a port the address is no text.
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })
}

function explained(error: Error, port: number): Error {
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

/** Whoever sends slowly, or much, is not waited for. */
export const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}
