import type { ServerResponse } from "node:http"
import type { News } from "./news.ts"
import { pageJson } from "./page-json.ts"

/** Tells a page what happens until it goes, as server-sent events. */
export function sendEvents(news: News, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
  const send = (event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${pageJson(data)}\n\n`)
  const stop = news.tell({
    changed: () => send("change", {}),
    queued: (command) => send("queue", command),
  })
  // A page that hears nothing for long cannot tell a quiet server from a dead one.
  const beat = setInterval(() => response.write(": still here\n\n"), BEAT_MS)
  beat.unref()
  response.on("close", () => {
    clearInterval(beat)
    stop()
  })
  // Last: who hears it is told of all that comes.
  response.write("retry: 1000\n\n")
}

const BEAT_MS = 15_000
