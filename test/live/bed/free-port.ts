import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

// Below the range systems take ports for outgoing connections from, so nobody else is given one meanwhile.
const LOWEST = 20_000
const HIGHEST = 32_000

/**
 * A port no host of this run has had. `--port 0` will not do: OpenCode takes it to mean 4096 if that is free, so
 * a restarted host comes back under the same address, and fetch sends it requests over its dead connections.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(LOWEST, HIGHEST)
  const server = createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
  } catch {
    // Taken: look elsewhere.
    return freePort()
  }
  server.close()
  await once(server, "close")
  return port
}
