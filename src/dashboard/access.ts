import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

export interface Access {
  /** A new secret for one visit; it goes into an address, once. */
  invite: () => string
  /** Takes the secret of an invitation for the cookie of a visit; undefined where it is not one, was used, or is too old. */
  enter: (secret: string) => string | undefined
  /** Why a request is not answered; undefined where it may be. */
  refusal: (request: IncomingMessage) => string | undefined
}

/**
 * Who may ask: a browser on this machine that came with an invitation. Another page cannot: its requests name another
 * origin, and a name that leads here by a trick of DNS is another host.
 */
export function createAccess(port: () => number, now: () => number): Access {
  const invitations = new Map<string, number>()
  const visits = new Set<string>()
  const isOwn = (host: string | undefined) => host === `127.0.0.1:${port()}` || host === `localhost:${port()}`

  return {
    invite() {
      const secret = randomBytes(32).toString("base64url")
      invitations.set(digest(secret), now() + INVITATION_MS)
      return secret
    },
    enter(secret) {
      const key = digest(secret)
      const until = invitations.get(key)
      invitations.delete(key)
      if (until === undefined || until < now()) return undefined
      const visit = randomBytes(32).toString("base64url")
      visits.add(digest(visit))
      return visit
    },
    refusal({ headers, method }) {
      if (!isOwn(headers.host)) return "Ask for 127.0.0.1, by its number."
      if (headers.origin !== undefined && !isOwn(headers.origin.replace(/^http:\/\//, "")))
        return "Another page may not ask."
      const site = headers["sec-fetch-site"]
      if (site !== undefined && site !== "same-origin" && site !== "none") return "Another page may not ask."
      // A form of another page cannot set it, and a script of one would have to ask first.
      if (method === "POST" && headers["x-hivemind"] !== "1") return "A change needs the page's own header."
      const visit = cookieIn(headers.cookie)
      if (visit === undefined || !has(visits, visit))
        return "Open the address that `hivemind dashboard` prints; each opens the page once."
      return undefined
    },
  }
}

export const COOKIE = "hivemind"

function cookieIn(header: string | undefined): string | undefined {
  return header
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1)
}

function has(digests: ReadonlySet<string>, secret: string): boolean {
  const given = Buffer.from(digest(secret))
  // Each is compared in full: how long it takes says nothing.
  return [...digests].filter((known) => timingSafeEqual(Buffer.from(known), given)).length > 0
}

function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}

const INVITATION_MS = 10 * 60_000
