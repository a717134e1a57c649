import { signal } from "@preact/signals"
import { version } from "../data/answers.ts"
import { catchUp, settle } from "../data/commands.ts"
import { isExport } from "../data/data.ts"

/** Whether the page is connected to the server and receives its events. */
export const isLive = signal(false)

/** Whether the page was ever connected. If not, it does not claim that the server has stopped. */
export const wasLive = signal(false)

/** Listens to the server's events. A hidden page disconnects, because a browser allows only six connections per server. */
export function followProject(): void {
  if (isExport) return
  let events: EventSource | undefined
  const followVisible = (hasMissed: boolean) => {
    events?.close()
    events = document.hidden ? undefined : openEvents(hasMissed)
  }
  followVisible(false)
  document.addEventListener("visibilitychange", () => followVisible(true))
}

function openEvents(missed: boolean): EventSource {
  const events = new EventSource("./api/events")
  let hasMissed = missed
  events.addEventListener("open", () => {
    isLive.value = true
    wasLive.value = true
    void catchUp()
    // The server does not repeat events, so the page requests everything again after a gap.
    if (hasMissed) reloadSoon()
    hasMissed = false
  })
  events.addEventListener("error", () => {
    hasMissed = true
    isLive.value = false
  })
  events.addEventListener("change", reloadSoon)
  events.addEventListener("queue", (event) => settle(JSON.parse((event as MessageEvent<string>).data)))
  return events
}

let soon: ReturnType<typeof setTimeout> | undefined
let last = Number.NEGATIVE_INFINITY

/** Requests all data again. An agent at work makes many changes, so this runs at most once per second. */
function reloadSoon(): void {
  if (soon !== undefined) return
  const wait = Math.max(TOGETHER_MS, last + APART_MS - performance.now())
  soon = setTimeout(() => {
    soon = undefined
    last = performance.now()
    version.value = version.peek() + 1
  }, wait)
}

const TOGETHER_MS = 120
const APART_MS = 1000
