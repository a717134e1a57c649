import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { endianness } from "node:os"

/**
 * Whether the other end of a connection within this machine is a program of the user who runs this one, or of root. Linux
 * shows every user what others have on their command lines; other systems hand an address on without showing it.
 */
export function isOfThisUser(socket: Socket): boolean {
  if (process.platform !== "linux") return true
  const user = userOfPeer(socket)
  return user !== undefined && (user === 0 || user === process.getuid?.())
}

/** By the system's list of connections; undefined where it is not in there. */
function userOfPeer({ remoteAddress, remotePort, localAddress, localPort }: Socket): number | undefined {
  const peer = entryFor(remoteAddress, remotePort)
  const own = entryFor(localAddress, localPort)
  for (const list of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of linesOf(list)) {
      const [, from = "", to = "", , , , , user] = line.trim().split(/\s+/)
      // An address of IPv6 that stands for one of IPv4 ends like it.
      if (from.endsWith(peer) && to.endsWith(own)) return Number(user)
    }
  }
  return undefined
}

/** As the list writes it: the address as the machine holds it, the port as people read it. */
function entryFor(address = "", port = 0): string {
  const bytes = address
    .replace(/^::ffff:/, "")
    .split(".")
    .map((part) => Number(part))
  const held = endianness() === "LE" ? bytes.reverse() : bytes
  const hex = held.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${hex}:${port.toString(16).padStart(4, "0")}`.toUpperCase()
}

function linesOf(list: string): string[] {
  try {
    return readFileSync(list, "utf8").split("\n")
  } catch {
    return [] // Kept from us, or not of this system: then nobody is known.
  }
}
