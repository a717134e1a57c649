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

interface Changes {
  /** Sends events to a page until it disconnects. */
  sendTo: (response: ServerResponse) => void
  close: () => void
}

type Send = (event: "change" | "queue", data: unknown) => void

/**
 * Watches a project's files while a page listens, so that changes of every process are seen. Applies queued commands, as
 * every HiveMind process does.
 */
export function watchChanges(hive: Hive, onError: (error: unknown) => void): Changes {
  const paths = hivePaths(hive.home)
  const snapshotRecords = join(hiveSnapshots(hive).dir(), "records")
  const queue = queueRunner({
    hive: async () => hive,
    paths,
    // The reason why a command waits goes to the page that sent it.
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
    sendTo(response) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
      const send: Send = (event, data) => response.write(`event: ${event}\ndata: ${pageJson(data)}\n\n`)
      pages.add(send)
      if (pages.size === 1) {
        seen = currentState()
        timer = setInterval(check, CHECK_MS).unref()
      }
      // A page that hears nothing for long cannot tell a quiet server from a dead one.
      const heartbeat = setInterval(() => response.write(": still here\n\n"), HEARTBEAT_MS).unref()
      response.on("close", () => {
        clearInterval(heartbeat)
        pages.delete(send)
        if (pages.size === 0) clearInterval(timer)
      })
      // Last: a page that has read it gets every change from then on.
      response.write("retry: 1000\n\n")
    },
    close() {
      clearInterval(timer)
      queue.close()
    },
  }
}

const CHECK_MS = 250
const HEARTBEAT_MS = 15_000
