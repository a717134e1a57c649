import { createHash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { endianness } from "node:os"

/**
 * Controls who may use the dashboard: only a browser that opened an invitation, which is an address with a one-time secret.
 * The `Origin` check keeps other web pages out, the `Host` check stops DNS rebinding. Cookies ignore ports, so any local
 * server can see and replace them. The page therefore has a random path, and its cookie is sent to that path only.
 */
export function createAccess(port: () => number, now: () => number) {
  const invitations = new Map<string, { until: number; isSeen: boolean }>()
  const visits = new Set<string>()
  const base = `/v/${random(16)}/`
  const isOwn = (host: string) => host === `127.0.0.1:${port()}` || host === `localhost:${port()}`
  const name = () => `hivemind-${port()}`

  return {
    base,
    /** Returns a secret that opens the page once. `isSeen`: other users of the machine may see its address. */
    invite({ isSeen } = { isSeen: false }) {
      const secret = random(32)
      invitations.set(digestOf(secret), { until: now() + INVITATION_MS, isSeen })
      return secret
    },
    /** Exchanges an invitation's secret for a cookie. Returns undefined if the secret is unknown, used or too old. */
    enter(secret: string, request: IncomingMessage): string | undefined {
      const key = digestOf(secret)
      const invitation = invitations.get(key)
      invitations.delete(key)
      if (invitation === undefined || invitation.until < now()) return undefined
      if (invitation.isSeen && !isOfThisUser(request.socket)) return undefined
      const visit = random(32)
      visits.add(digestOf(visit))
      return `${name()}=${visit}; HttpOnly; SameSite=Strict; Path=${base}`
    },
    /** The refusal of a request with a wrong `Host` or `Origin` header; undefined if both are right. */
    originRefusal({ headers }: IncomingMessage): string | undefined {
      if (!isOwn(headers.host ?? "")) return "Open the dashboard at 127.0.0.1: other host names are refused."
      const { origin } = headers
      if (origin === undefined) return undefined
      return origin.startsWith(SCHEME) && isOwn(origin.slice(SCHEME.length)) ? undefined : ANOTHER_PAGE
    },
    /** The refusal of a request without a valid visit cookie; undefined if the request is allowed. */
    visitRefusal({ headers, method }: IncomingMessage): string | undefined {
      const site = headers["sec-fetch-site"]
      if (site !== undefined && site !== "same-origin" && site !== "none") return ANOTHER_PAGE
      // Another page's form cannot set this header, and its scripts are stopped by CORS.
      if (method === "POST" && headers["x-hivemind"] !== "1") return "The header `x-hivemind: 1` is missing."
      // Digests are compared, so the response time tells nothing about a valid cookie.
      return cookiesIn(headers.cookie, name()).some((each) => visits.has(digestOf(each)))
        ? undefined
        : "Open the address that `hivemind dashboard` prints. Every address works once."
    },
  }
}

/** All cookies of this name: another server of this machine may have set one too. */
function cookiesIn(header: string | undefined, name: string): string[] {
  return (header ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .slice(0, MAX_COOKIES)
    .map((part) => part.slice(name.length + 1))
}

const random = (bytes: number): string => randomBytes(bytes).toString("base64url")

const SCHEME = "http://"
const ANOTHER_PAGE = "Requests from other web pages are refused."
const INVITATION_MS = 10 * 60_000
const MAX_COOKIES = 4

/** On Linux, all users can read the address on the browser's command line, so the user of the connection is checked. */
function isOfThisUser(socket: Socket): boolean {
  if (process.platform !== "linux") return true
  const user = userOfPeer(socket)
  return user !== undefined && (user === 0 || user === process.getuid?.())
}

/** The uid at the other end of the socket, read from /proc/net/tcp; undefined if the connection is not listed. */
function userOfPeer({ remoteAddress, remotePort, localAddress, localPort }: Socket): number | undefined {
  const peer = entryFor(remoteAddress, remotePort)
  const own = entryFor(localAddress, localPort)
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap(linesOf).map((line) => line.trim().split(/\s+/))
  // In tcp6, an IPv4 address is written with a prefix before it.
  const found = lines.find(([, from = "", to = ""]) => from.endsWith(peer) && to.endsWith(own))
  return found && Number(found[7])
}

/** Formats an address as /proc/net/tcp does, in hex: the IP in the machine's byte order, the port big-endian. */
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
    return [] // The caller then treats the user as unknown and refuses.
  }
}

const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex")
