import type { Event, OpencodeClient } from "@opencode-ai/sdk"

const WAIT_MS = 30_000

// The SDK's first interface does not list every event the host sends (permission.asked, for one).
type EventOf<T extends string> = T extends Event["type"]
  ? Extract<Event, { type: T }>
  : { type: T; properties: Record<string, unknown> }

// The union with a bare string keeps the known names in the editor's suggestions.
type EventType = Event["type"] | (string & {})

export interface HostEvents {
  /** Every event since the bed was opened. */
  seen: { type: string; properties: unknown }[]
  /** Later waits look from here on. */
  mark: () => void
  /** The first such event since the last mark, whether or not it has happened yet. */
  wait: <T extends EventType>(type: T, match?: (event: EventOf<T>) => boolean) => Promise<EventOf<T>>
  /** Reads the host's stream until it ends; resolves once the host has confirmed it. */
  follow: (client: OpencodeClient, directory: string) => Promise<void>
  stop: () => void
}

export function hostEvents(): HostEvents {
  const seen: HostEvents["seen"] = []
  const listeners = new Set<() => void>()
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
    // One attempt: a host that is gone comes back on another port, and the bed then follows anew.
    const events = await client.event.subscribe({
      query: { directory },
      signal,
      sseMaxRetryAttempts: 1,
      onSseError,
    })
    const first = await events.stream.next()
    if (first.done) throw new Error("the host did not open its event stream", { cause: failure })
    void drain(events.stream, (event) => {
      seen.push(event)
      for (const listener of listeners) listener()
    })
  }

  const wait = <T extends EventType>(type: T, match: (event: EventOf<T>) => boolean = () => true) => {
    const start = from
    const find = () =>
      seen.slice(start).find((event) => event.type === type && match(event as EventOf<T>)) as
        | EventOf<T>
        | undefined
    return new Promise<EventOf<T>>((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        listeners.delete(look)
        finish()
      }
      const look = () => {
        const event = find()
        if (event) settle(() => resolve(event))
      }
      const types = () => seen.slice(start).map((event) => event.type)
      const giveUp = () =>
        reject(new Error(`no matching ${type} within ${WAIT_MS} ms; saw ${types().join(", ")}`))
      const timer = setTimeout(() => settle(giveUp), WAIT_MS)
      listeners.add(look)
      look()
    })
  }

  return {
    seen,
    mark: () => {
      from = seen.length
    },
    wait,
    follow,
    stop: () => stream.abort(),
  }
}

async function drain(stream: AsyncIterable<Event>, take: (event: Event) => void): Promise<void> {
  for await (const event of stream) take(event)
}
