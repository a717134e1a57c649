import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { digestOf, isSame } from "./proof.ts"
import { isOfThisUser } from "./user-of-peer.ts"

export interface Access {
  /** Where the page lies. */
  base: string
  /** A new secret for one visit; it goes into an address, once. */
  invite: (use?: { isSeen: boolean }) => string
  /** Takes the secret of an invitation for the cookie of a visit; undefined where it is not one, was used, or is too old. */
  enter: (secret: string, request: IncomingMessage) => string | undefined
  /** Why nothing at all is answered; undefined where the request is for us and by no other page. */
  isElsewhere: (request: IncomingMessage) => string | undefined
  /** Why a request of a page is not answered; undefined where it may be. */
  refusal: (request: IncomingMessage) => string | undefined
}

/**
 * Who may ask: a browser on this machine that came with an invitation. Another page cannot: its requests name another
 * origin, and a name that leads here by a trick of DNS is another host.
 *
 * Cookies know no port: one for all of 127.0.0.1 would go to every server on this machine, and each could replace it. So the
 * page lies where nobody can guess, and its cookie goes there only.
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
    isElsewhere({ headers }) {
      if (!isOwn(headers.host ?? "")) return "Ask for 127.0.0.1, by its number."
      const { origin } = headers
      if (origin === undefined) return undefined
      return origin.startsWith(SCHEME) && isOwn(origin.slice(SCHEME.length)) ? undefined : ANOTHER_PAGE
    },
    refusal({ headers, method }) {
      const site = headers["sec-fetch-site"]
      if (site !== undefined && site !== "same-origin" && site !== "none") return ANOTHER_PAGE
      // A form of another page cannot set it, and a script of one would have to ask first.
      if (method === "POST" && headers["x-hivemind"] !== "1") return "A change needs the page's own header."
      const given = cookiesIn(headers.cookie, name()).map(digestOf)
      // Each is compared in full: how long it takes says nothing.
      const known = [...visits].filter((visit) => given.filter((each) => isSame(visit, each)).length > 0)
      return known.length > 0
        ? undefined
        : "Open the address that `hivemind dashboard` prints; each opens the page once."
    },
  }
}

/** Another server of this machine may have added one of the same name. */
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
