import type { Hive } from "../hive/hive.ts"
import { knownMems } from "../knowledge/memory/by-rule.ts"
import type { Report, SourceRecord } from "../migrate/records/report.ts"
import { type UndoneRecords, undoRecords } from "../migrate/records/undo-records.ts"
import { writeRecords } from "../migrate/records/write-records.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { openHistoryFiles } from "../store/history-files.ts"
import { projectCheck } from "./check-project.ts"
import { chooseRecords } from "./choose-records.ts"
import type { FoundSession } from "./read/step.ts"
import { keyOf, type ReadSession, readSession, readSummary } from "./read-session.ts"
import { openTurnIndex } from "./turn-index.ts"

export interface SessionImport {
  report: Report
  /** The records that would be or were kept, with their sources. */
  kept: { kind: string; content: string; from: string }[]
  sessions: { found: number; read: number; known: number; unreadable: { path: string; reason: string }[] }
}

export interface ImportOptions {
  dryRun?: boolean
  /** How many sessions are done. */
  onProgress?: (done: number) => void
}

const BY = { tool: "hivemind import sessions", session: null, agent: null }

/**
 * Turns past sessions into unconfirmed records, and indexes what was said. A session is read once: a run that was interrupted
 * goes on where it was, and another run changes nothing. With `dryRun` nothing is written.
 */
export async function importSessions(
  hive: Hive,
  found: readonly FoundSession[],
  { dryRun = false, onProgress }: ImportOptions = {},
): Promise<SessionImport> {
  const files = openHistoryFiles(hive.home, hive.source)
  const index = openTurnIndex(files)
  const isLost = await index.isLost()
  const sessions: ReadSession[] = []
  const counts: SessionImport["sessions"] = { found: found.length, read: 0, known: 0, unreadable: [] }
  /** Their passages are not in a file of the index yet. */
  let waiting: ReadSession[] = []
  function* settle(): Pausing<void> {
    for (const session of waiting) {
      files.writeSession(session.key, session)
      yield
    }
    waiting = []
  }

  function* readKnown(each: FoundSession): Pausing<ReadSession | undefined> {
    yield
    return readSummary(files, keyOf(each))
  }

  if (!dryRun && found.length > 0) await files.prepare()
  for (const [at, each] of found.entries()) {
    const known = await runInSlices(readKnown(each))
    if (known?.version === each.version && !isLost) {
      sessions.push(known)
      counts.known++
    } else
      try {
        const { session, passages } = await readSession(each)
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
  const folders = [...new Set([hive.dir, hive.home])]
  const input = {
    sessions,
    state,
    isKnown: knownMems(hive),
    dir: hive.dir,
    check: projectCheck(hive.dir, folders),
  }
  const records = await runInSlices(chooseRecords(input))
  const kept = records.flatMap((record) =>
    "records" in record ? record.records.flatMap((each) => keptFrom(each, record)) : [],
  )
  const report = await writeRecords(hive, asyncly(records), {
    by: BY,
    dryRun,
    files: () => found.map(({ path }) => path),
  })
  return { report, kept, sessions: counts }
}

/** Takes back all records that nothing newer depends on, and deletes what was indexed. */
export async function undoSessions(
  hive: Hive,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<UndoneRecords> {
  const undone = await undoRecords(hive, BY.tool, { dryRun })
  if (!dryRun) openHistoryFiles(hive.home, hive.source).remove()
  return undone
}

function keptFrom(
  { kind, record }: { kind: string; record: object },
  { from }: SourceRecord,
): SessionImport["kept"] {
  if (kind !== "mem" || !("content" in record) || !("kind" in record)) return []
  return [{ kind: String(record.kind), content: String(record.content), from }]
}

async function* asyncly<T>(values: readonly T[]): AsyncGenerator<T, void, void> {
  yield* values
}
