import { closeSync } from "node:fs"
import { join } from "node:path"
import type { Source } from "../shared/ids.ts"
import { existsSync, listFolder, mkdirSync, openSync, rmSync, writeWhole } from "./files/hive-fs.ts"
import { parseJson, readJson } from "./files/json-lines.ts"
import { createLayout, hivePaths } from "./files/layout.ts"
import { readText, removeText } from "./files/text-file.ts"
import { writeAtomic } from "./files/write-file.ts"
import { type IndexFiles, openIndexFiles } from "./index-files.ts"

/**
 * What was read of past sessions of agents, on this machine only: per session a summary and its passages, and the index over
 * all passages. Not in the graph, never shared. It can be deleted at any time.
 */
export interface HistoryFiles {
  /** Makes the folders; before the first write. */
  prepare(): Promise<void>
  index: IndexFiles
  /** The keys of the sessions that were read. */
  sessions(): string[]
  /** Undefined where the session was not read, or not to its end. */
  readSession(key: string): unknown
  writePassages(key: string, passages: Iterable<object>): Generator<void, void, void>
  /** A session counts as read once it has this. */
  writeSession(key: string, summary: object): void
  passage(key: string, id: string): unknown
  /** Deletes all of it. */
  remove(): void
}

export function openHistoryFiles(home: string, source: Source): HistoryFiles {
  const paths = hivePaths(home)
  const folder = join(paths.history, "sessions")
  const summaryOf = (key: string) => join(folder, `${key}.json`)
  const passagesOf = (key: string) => join(folder, `${key}.jsonl`)
  const prepare = async () => {
    await createLayout(home)
    mkdirSync(folder)
  }
  return {
    prepare,
    index: openIndexFiles({ ...paths, index: join(paths.history, "index") }, source, prepare, () => false),
    sessions: () => listFolder(folder).flatMap((name) => /^([\w-]+)\.json$/.exec(name)?.[1] ?? []),
    readSession: (key) => (existsSync(summaryOf(key)) ? readJson(summaryOf(key)) : undefined),
    writeSession: (key, summary) => writeAtomic(summaryOf(key), JSON.stringify(summary), 0o600),
    *writePassages(key, passages) {
      for (const path of [summaryOf(key), passagesOf(key)]) removeText(path)
      const fd = openSync(passagesOf(key), "wx", 0o600)
      try {
        for (const passage of passages) {
          writeWhole(fd, `${JSON.stringify(passage)}\n`)
          yield
        }
      } finally {
        closeSync(fd)
      }
    },
    passage(key, id) {
      const start = `{"id":"${id}"`
      const line = readText(passagesOf(key))
        ?.split("\n")
        .find((each) => each.startsWith(start))
      return line === undefined ? undefined : parseJson(line)
    },
    remove: () => rmSync(paths.history, { recursive: true, force: true }),
  }
}
