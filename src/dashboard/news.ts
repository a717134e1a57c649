import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { queueContents } from "../queue/queue.ts"
import { HiveError } from "../shared/error.ts"
import { hiveSnapshots } from "../snapshots/hive-snapshots.ts"
import { readdirSync, statSync } from "../store/files/hive-fs.ts"
import { type HivePaths, hivePaths } from "../store/files/layout.ts"
import { queueBetween } from "../turns/queue-between.ts"
import type { CommandView } from "./answers/model.ts"
import { commandAnswer } from "./commands.ts"

/** What pages are told of a project. */
interface Listener {
  changed: () => void
  queued: (command: CommandView) => void
}

export interface News {
  /** Tells until the returned function is called. */
  tell: (listener: Listener) => () => void
  close: () => void
}

/**
 * What happens in a project, by whichever process: the files are looked at while somebody listens. This process applies what
 * waits in the queue like any other of ours, whoever asked for it.
 */
export function newsOf(hive: Hive, onError: (error: unknown) => void): News {
  const paths = hivePaths(hive.home)
  const records = join(hiveSnapshots(hive).dir(), "records")
  const queue = queueBetween({
    hive: async () => hive,
    paths,
    // What keeps a command waiting is told to who gave it.
    log: (level, _what, detail) => level === "error" && !(detail instanceof HiveError) && onError(detail),
  })
  const listeners = new Set<Listener>()
  let timer: NodeJS.Timeout | undefined
  let seen = ""
  let seenQueue = ""
  let finished = new Set<string>()

  function look(): void {
    try {
      lookAtQueue()
      const sign = signOf([...shownFiles(paths), records])
      if (sign === seen) return
      seen = sign
      for (const { changed } of listeners) changed()
    } catch (error) {
      onError(error)
    }
  }

  function lookAtQueue(): void {
    const sign = signOf([paths.queue])
    if (sign === seenQueue) return
    seenQueue = sign
    const now = new Set(queueContents(hive).finished.keys())
    for (const id of now) {
      if (!finished.has(id)) for (const { queued } of listeners) queued(commandAnswer(hive, id))
    }
    finished = now
  }

  function start(): void {
    seen = signOf([...shownFiles(paths), records])
    seenQueue = signOf([paths.queue])
    finished = new Set(queueContents(hive).finished.keys())
    timer = setInterval(look, LOOK_MS)
    timer.unref()
  }

  return {
    tell(listener) {
      if (listeners.size === 0) start()
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
    close() {
      clearInterval(timer)
      queue.close()
    },
  }
}

/** Whatever a view is made of: the log, what is counted, told, refused and spent, and the records as they were last folded. */
function shownFiles(paths: HivePaths): string[] {
  const newest = namesIn(paths.log).sort().slice(-2)
  return [
    ...newest.map((name) => join(paths.log, name)),
    ...namesIn(paths.state).map((name) => join(paths.state, name)),
    ...namesIn(paths.usage)
      .sort()
      .slice(-1)
      .map((name) => join(paths.usage, name)),
    paths.parts,
    paths.queue,
  ]
}

/** Changes with every write. */
function signOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false })
      return found === undefined ? file : `${file} ${found.ino} ${found.size} ${found.mtimeMs}`
    })
    .join("|")
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // Not there before the first write.
  }
}

const LOOK_MS = 250
