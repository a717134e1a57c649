import type { Hive } from "../hive/hive.ts"
import { knownMems } from "../knowledge/memory/by-rule.ts"
import type { Report, SourceRecord } from "../migrate/records/report.ts"
import { type UndoneRecords, undoRecords } from "../migrate/records/undo-records.ts"
import { writeRecords } from "../migrate/records/write-records.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { type HistoryFiles, openHistoryFiles } from "../store/history-files.ts"
import { projectCheck } from "./check-project.ts"
import { chooseRecords } from "./choose-records.ts"
import type { FoundSession } from "./read/step.ts"
import { keyOf, type ReadSession, readSession, readSummary } from "./read-session.ts"
import { openTurnIndex } from "./turn-index.ts"

export interface SessionImport {
  report: Report
  kept: { kind: string; content: string; from: string }[]
  sessions: { found: number; read: number; known: number; unreadable: { path: string; reason: string }[] }
}

const BY = { tool: "hivemind import sessions", session: null, agent: null }

/** Imports unconfirmed records from past sessions and indexes their passages. An interrupted run can be continued. */
export async function importSessions(
  hive: Hive,
  found: readonly FoundSession[],
  { dryRun = false, onProgress }: { dryRun?: boolean; onProgress?: (done: number) => void } = {},
): Promise<SessionImport> {
  const files = openHistoryFiles(hive.home, hive.source)
  const index = openTurnIndex(files)
  const known = (await index.isLost()) ? new Map() : await runInSlices(readKnown(files, found))
  const sessions: ReadSession[] = []
  const counts: SessionImport["sessions"] = { found: found.length, read: 0, known: 0, unreadable: [] }
  /** Sessions whose passages are not in a file of the index yet. */
  let waiting: ReadSession[] = []
  function* settle(): Pausing<void> {
    for (const session of waiting) {
      files.writeSession(session.key, session)
      yield
    }
    waiting = []
  }

  if (!dryRun && found.length > 0) await files.prepare()
  for (const [at, each] of found.entries()) {
    const there = known.get(keyOf(each))
    if (there !== undefined) {
      sessions.push(there)
      counts.known++
    } else
      try {
        const { session, passages } = await runInSlices(readSession(each, await each.open()))
        sessions.push(session)
        counts.read++
        if (!dryRun) {
          await runInSlices(files.writePassages(session.key, passages))
          waiting.push(session)
          if (await index.put(session.key, passages)) await runInSlices(settle())
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        counts.unreadable.push({ path: each.path, reason: error.message })
      }
    onProgress?.(at + 1)
  }
  await index.write()
  await runInSlices(settle())

  const { state } = hive.store.read()
  const check = projectCheck(hive.dir, [...new Set([hive.dir, hive.home])])
  const input = { sessions, state, isKnown: knownMems(hive), dir: hive.dir, check }
  const records = await runInSlices(chooseRecords(input))
  const writing = { by: BY, dryRun, files: () => found.map(({ path }) => path) }
  return {
    report: await writeRecords(hive, records, writing),
    kept: keptOf(records),
    sessions: counts,
  }
}

/** Sessions that an earlier run has read and that have not changed since, by their key. */
function* readKnown(files: HistoryFiles, found: readonly FoundSession[]): Pausing<Map<string, ReadSession>> {
  const known = new Map<string, ReadSession>()
  for (const each of found) {
    yield
    const session = readSummary(files, keyOf(each))
    if (session?.version === each.version) known.set(session.key, session)
  }
  return known
}

/** Removes the imported records and deletes the index. */
export async function undoSessions(
  hive: Hive,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<UndoneRecords> {
  const undone = await undoRecords(hive, BY.tool, { dryRun })
  if (!dryRun) openHistoryFiles(hive.home, hive.source).remove()
  return undone
}

function keptOf(records: readonly SourceRecord[]): SessionImport["kept"] {
  return records.flatMap((each) =>
    ("records" in each ? each.records : []).flatMap(({ kind, record }) =>
      kind === "mem" ? [{ kind: record.kind, content: record.content, from: each.from }] : [],
    ),
  )
}
