import { closeSync } from "node:fs"
import { join } from "node:path"
import type { Source } from "../shared/ids.ts"
import { existsSync, listFolder, mkdirSync, openSync, rmSync, writeWhole } from "./files/hive-fs.ts"
import { parseJson, readJson } from "./files/json-lines.ts"
import { createLayout, hivePaths } from "./files/layout.ts"
import { readText, removeText } from "./files/text-file.ts"
import { writeAtomic } from "./files/write-file.ts"
import { openIndexFiles } from "./index-files.ts"

/** Files about agents' past sessions: summaries, passages and an index. They are local and can be deleted. */
export type HistoryFiles = ReturnType<typeof openHistoryFiles>

export function openHistoryFiles(home: string, source: Source) {
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
    sessions: (): string[] => listFolder(folder).flatMap((name) => /^([\w-]+)\.json$/.exec(name)?.[1] ?? []),
    /** Returns undefined if the session was not read to its end. */
    readSession: (key: string): unknown =>
      existsSync(summaryOf(key)) ? readJson(summaryOf(key)) : undefined,
    writeSession: (key: string, summary: object): void =>
      writeAtomic(summaryOf(key), JSON.stringify(summary), 0o600),
    *writePassages(key: string, passages: Iterable<object>): Generator<void, void, void> {
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
    passage(key: string, id: string): unknown {
      const start = `{"id":"${id}"`
      const line = readText(passagesOf(key))
        ?.split("\n")
        .find((each) => each.startsWith(start))
      return line === undefined ? undefined : parseJson(line)
    },
    remove: (): void => rmSync(paths.history, { recursive: true, force: true }),
  }
}
