import type { ServerResponse } from "node:http"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { queueContents } from "../queue/queue.ts"
import { HiveError } from "../shared/error.ts"
import { hiveSnapshots } from "../snapshots/hive-snapshots.ts"
import { hivePaths } from "../store/files/layout.ts"
import { queueRunner } from "../turns/queue-runner.ts"
import { commandAnswer } from "./commands.ts"
import { pageJson } from "./page-files.ts"
import { fingerprint, watchedFiles } from "./watched-files.ts"

type Send = (event: "change" | "queue", data: unknown) => void

/** Tells connected pages when the project's data changes. Like every HiveMind process, it also applies queued commands. */
export function watchChanges(hive: Hive, onError: (error: unknown) => void) {
  const paths = hivePaths(hive.home)
  const snapshotRecords = join(hiveSnapshots(hive).dir(), "records")
  const queue = queueRunner({
    hive: async () => hive,
    paths,
    // A HiveError is not logged: it says why a command waits, and the page that sent the command shows it.
    log: (level, _what, detail) => level === "error" && !(detail instanceof HiveError) && onError(detail),
  })
  const pages = new Set<Send>()
  let timer: NodeJS.Timeout | undefined
  let seen = { files: "", finished: new Set<string>() }

  function currentState() {
    const files = fingerprint([...watchedFiles(paths), snapshotRecords])
    return files === seen.files ? seen : { files, finished: new Set(queueContents(hive).finished.keys()) }
  }

  function check(): void {
    try {
      const before = seen
      seen = currentState()
      if (seen === before) return
      for (const id of seen.finished)
        if (!before.finished.has(id)) for (const send of pages) send("queue", commandAnswer(hive, id))
      for (const send of pages) send("change", {})
    } catch (error) {
      onError(error)
    }
  }

  return {
    sendTo(response: ServerResponse): void {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
      const send: Send = (event, data) => response.write(`event: ${event}\ndata: ${pageJson(data)}\n\n`)
      pages.add(send)
      if (pages.size === 1) {
        seen = currentState()
        timer = setInterval(check, CHECK_MS).unref()
      }
      // Without regular messages, a page could not tell a quiet server from a dead one.
      const heartbeat = setInterval(() => response.write(": still here\n\n"), HEARTBEAT_MS).unref()
      response.on("close", () => {
        clearInterval(heartbeat)
        pages.delete(send)
        if (pages.size === 0) clearInterval(timer)
      })
      // Written last: once the page has received this line, it misses no change.
      response.write("retry: 1000\n\n")
    },
    close(): void {
      clearInterval(timer)
      queue.close()
    },
  }
}

const CHECK_MS = 250
const HEARTBEAT_MS = 15_000
