import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { endianness } from "node:os"

export interface Access {
  /** The path of the page. */
  base: string
  /** A new secret for one visit, to be put into an address. */
  invite: (use?: { isSeen: boolean }) => string
  /** Exchanges an invitation's secret for a cookie; undefined where it is unknown, used or too old. */
  enter: (secret: string, request: IncomingMessage) => string | undefined
  /** Why a request for another host or from another origin is refused; undefined where it is neither. */
  originRefusal: (request: IncomingMessage) => string | undefined
  /** Why a request without a visit is refused; undefined where it is allowed. */
  visitRefusal: (request: IncomingMessage) => string | undefined
}

/**
 * Who may ask: a browser on this machine that came with an invitation. Other pages are refused by their origin, and DNS
 * rebinding by the host.
 *
 * Cookies have no port: one for all of 127.0.0.1 would go to every server on this machine, and each could replace it. So the
 * page lies under a path that cannot be guessed, and its cookie goes there only.
 */
export function createAccess(port: () => number, now: () => number): Access {
  const invitations = new Map<string, { until: number; isSeen: boolean }>()
  const visits = new Set<string>()
  const base = `/v/${random(16)}/`
  const isOwn = (host: string) => host === `127.0.0.1:${port()}` || host === `localhost:${port()}`
  const name = () => `hivemind-${port()}`

  return {
    base,
    invite({ isSeen } = { isSeen: false }) {
      const secret = random(32)
      invitations.set(digestOf(secret), { until: now() + INVITATION_MS, isSeen })
      return secret
    },
    enter(secret, request) {
      const key = digestOf(secret)
      const invitation = invitations.get(key)
      invitations.delete(key)
      if (invitation === undefined || invitation.until < now()) return undefined
      if (invitation.isSeen && !isOfThisUser(request.socket)) return undefined
      const visit = random(32)
      visits.add(digestOf(visit))
      return `${name()}=${visit}; HttpOnly; SameSite=Strict; Path=${base}`
    },
    originRefusal({ headers }) {
      if (!isOwn(headers.host ?? "")) return "Ask for 127.0.0.1, by its number."
      const { origin } = headers
      if (origin === undefined) return undefined
      return origin.startsWith(SCHEME) && isOwn(origin.slice(SCHEME.length)) ? undefined : ANOTHER_PAGE
    },
    visitRefusal({ headers, method }) {
      const site = headers["sec-fetch-site"]
      if (site !== undefined && site !== "same-origin" && site !== "none") return ANOTHER_PAGE
      // A form of another page cannot set this header, and a script of one would need CORS.
      if (method === "POST" && headers["x-hivemind"] !== "1") return "A change needs the page's own header."
      const given = cookiesIn(headers.cookie, name()).map(digestOf)
      // Each is compared in full, so that the time it takes reveals nothing.
      const known = [...visits].filter((visit) => given.filter((each) => isSame(visit, each)).length > 0)
      return known.length > 0
        ? undefined
        : "Open the address that `hivemind dashboard` prints; each opens the page once."
    },
  }
}

/** Another server of this machine may have set a cookie of the same name. */
function cookiesIn(header: string | undefined, name: string): string[] {
  return (header ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .slice(0, MAX_COOKIES)
    .map((part) => part.slice(name.length + 1))
}

function random(bytes: number): string {
  return randomBytes(bytes).toString("base64url")
}

const SCHEME = "http://"
const ANOTHER_PAGE = "Another page may not ask."
const INVITATION_MS = 10 * 60_000
const MAX_COOKIES = 4

/**
 * Whether the client of a local connection runs as this user or as root. On Linux every user can read command lines, and so
 * the address in them; on other systems the address is handed over without being visible.
 */
function isOfThisUser(socket: Socket): boolean {
  if (process.platform !== "linux") return true
  const user = userOfPeer(socket)
  return user !== undefined && (user === 0 || user === process.getuid?.())
}

/** The uid at the other end of the socket, read from /proc/net/tcp; undefined if the connection is not listed. */
function userOfPeer({ remoteAddress, remotePort, localAddress, localPort }: Socket): number | undefined {
  const peer = entryFor(remoteAddress, remotePort)
  const own = entryFor(localAddress, localPort)
  for (const list of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of linesOf(list)) {
      const [, from = "", to = "", , , , , user] = line.trim().split(/\s+/)
      // An IPv4 address mapped to IPv6 ends like the IPv4 one.
      if (from.endsWith(peer) && to.endsWith(own)) return Number(user)
    }
  }
  return undefined
}

/** As the list writes it: the address in the byte order of the machine, the port big-endian, both in hex. */
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
    return [] // Not readable: no user is known.
  }
}

/** Takes equally long wherever they differ. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}
