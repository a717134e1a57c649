import { setTimeout as sleep } from "node:timers/promises"
import type { Event, OpencodeClient } from "@opencode-ai/sdk"

const WAIT_MS = 30_000
const POLL_MS = 5

// The SDK's types lack some events, such as permission.asked.
type EventOf<T extends string> = T extends Event["type"]
  ? Extract<Event, { type: T }>
  : { type: T; properties: Record<string, unknown> }

// The union with a bare string keeps the known names in the editor's suggestions.
type EventType = Event["type"] | (string & {})

export interface HostEvents {
  seen: { type: string; properties: unknown }[]
  mark: () => void
  /** The first such event since the last mark, whether or not it has happened yet. */
  wait: <T extends EventType>(type: T, match?: (event: EventOf<T>) => boolean) => Promise<EventOf<T>>
  /** Reads the host's stream until it ends; resolves once the host has confirmed it. */
  follow: (client: OpencodeClient, directory: string) => Promise<void>
  stop: () => void
}

export function hostEvents(): HostEvents {
  const seen: HostEvents["seen"] = []
  let from = 0
  let stream = new AbortController()

  const follow = async (client: OpencodeClient, directory: string) => {
    stream.abort()
    stream = new AbortController()
    const { signal } = stream
    let failure: unknown
    const onSseError = (cause: unknown) => {
      failure = cause
    }
    // One attempt: a restarted host has another port, and the bed subscribes again.
    const retries = { sseMaxRetryAttempts: 1, onSseError }
    const events = await client.event.subscribe({ query: { directory }, signal, ...retries })
    const first = await events.stream.next()
    if (first.done) throw new Error("the host did not open its event stream", { cause: failure })
    const listen = async () => {
      for await (const event of events.stream) seen.push(event)
    }
    void listen()
  }

  const wait = async <T extends EventType>(type: T, match: (event: EventOf<T>) => boolean = () => true) => {
    const start = from
    const isMatch = (event: { type: string }): event is EventOf<T> =>
      event.type === type && match(event as EventOf<T>)
    for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(POLL_MS)) {
      const event = seen.slice(start).find(isMatch)
      if (event !== undefined) return event
    }
    const types = seen.slice(start).map((event) => event.type)
    throw new Error(`no matching ${type} within ${WAIT_MS} ms; saw ${types.join(", ")}`)
  }

  const mark = () => {
    from = seen.length
  }
  return { seen, mark, wait, follow, stop: () => stream.abort() }
}
