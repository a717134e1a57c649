import type { ServerResponse } from "node:http"
import { changesOf } from "../api/changes.ts"
import type { Hive } from "../hive/hive.ts"

/** Tells a page of every change until it goes, as server-sent events. */
export async function sendEvents(hive: Hive, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.on("close", () => gone.abort())
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
  // A page that hears nothing for long cannot tell a quiet server from a dead one.
  const beat = setInterval(() => response.write(": still here\n\n"), BEAT_MS)
  beat.unref()
  response.write("retry: 1000\n\n")
  try {
    for await (const { id } of changesOf(hive, { signal: gone.signal }))
      response.write(`event: change\ndata: ${JSON.stringify({ entry: id })}\n\n`)
  } finally {
    clearInterval(beat)
    response.end()
  }
}

const BEAT_MS = 15_000
