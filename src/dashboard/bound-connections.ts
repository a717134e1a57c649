import type { Server } from "node:http"
import type { Socket } from "node:net"

/**
 * Few connections at a time, and of those that have not shown who they are the oldest gives way to the newest: whoever opens
 * many and says nothing does not keep the user's browser out.
 */
export function boundConnections(server: Server): { known: (socket: Socket) => void } {
  const strangers = new Set<Socket>()
  server.maxConnections = MAX_CONNECTIONS
  server.on("connection", (socket) => {
    strangers.add(socket)
    socket.once("close", () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size <= MAX_STRANGERS || oldest === undefined) return
    strangers.delete(oldest)
    oldest.destroy()
  })
  return { known: (socket) => void strangers.delete(socket) }
}

const MAX_CONNECTIONS = 128
const MAX_STRANGERS = 32
