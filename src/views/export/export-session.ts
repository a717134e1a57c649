import { numberIn, registersOf } from "../../graph/metrics.ts"
import { sessionOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { EXPORT_LIMITS, type SessionExport, sessionExport } from "../../schemas/export.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Session } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { runInSlices } from "../../shared/slices.ts"
import { cleanText } from "../../shared/text/clean.ts"
import { callText } from "../../shared/tool-names.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { contentOf, type ExportContent, isUnchanged } from "./content.ts"
import { createExport, lastExport, pruneExports } from "./export-folder.ts"
import { synthesise } from "./synthesis.ts"

export interface Exported {
  /** Of the file in `.hivemind/sessions/archive/exports/`. */
  name: string
  record: SessionExport
  /** The mem made of the last four exports, if this is a fourth one. */
  synthesis: Mem | null
}

/** Exports a session now, whether or not anything has changed. */
export async function exportSession(hive: Hive, caller: Caller, hostId: string): Promise<Exported> {
  const session = sessionOf(hive.store.read().state, hostId)
  if (session === undefined) throw unknownSession(hostId)
  if (session.parent_host_id !== null) throw subagentSession(session)
  return write(hive, caller, await draft(hive, session), null)
}

/**
 * Exports the session at the end of a turn that changed something. Not a subagent's session, whose work is part of its
 * parent's, and not one without a record. `words` is only called if the last message is needed.
 */
export async function exportOnIdle(
  hive: Hive,
  caller: Caller & { session: string },
  words: () => Promise<string>,
): Promise<Exported | undefined> {
  if (!hive.config.export_on_idle) return undefined
  const session = sessionOf(hive.store.read().state, caller.session)
  if (session === undefined || session.parent_host_id !== null) return undefined
  const drafted = await draft(hive, session)
  const { last, content } = drafted
  const isRepeat = last !== undefined && isUnchanged(content, last)
  // An export that was requested within the turn does not have its last message yet.
  if (isRepeat && last.last_message !== null) return undefined
  const message = cleanText(await words(), EXPORT_LIMITS.message) || null
  return isRepeat && message === null ? undefined : write(hive, caller, drafted, message)
}

interface Draft {
  session: Session
  last: SessionExport | undefined
  number: number
  since: string
  now: number
  content: ExportContent
}

async function draft(hive: Hive, session: Session): Promise<Draft> {
  const now = hive.source.now()
  const { last, highest } = lastExport(hivePaths(hive.home), session)
  // After a clock that ran ahead, everything new would be older than the last export.
  const isAhead = last !== undefined && Date.parse(last.exported_at) > now
  const since = isAhead ? session.created_at : (last?.exported_at ?? session.created_at)
  const counted = numberIn(registersOf(hive.store.read().state, session.host_id), REGISTER)
  const content = await runInSlices(contentOf(hive, session, since, now))
  // A crash may have prevented the count of the last one, and a person may have deleted it.
  return { session, last, number: Math.max(counted, highest) + 1, since, now, content }
}

async function write(
  hive: Hive,
  caller: Caller,
  { session, number, since, now, content }: Draft,
  last_message: string | null,
): Promise<Exported> {
  const { host_id, stamp, intent, mode } = session
  const wanted = sessionExport.parse({
    version: 1,
    number,
    session: { host_id, stamp, intent, mode },
    exported_at: new Date(now).toISOString(),
    since,
    last_message,
    ...content,
  } satisfies SessionExport)
  const { name, record } = createExport(hivePaths(hive.home), wanted)
  await hive.store.append(authorOf(caller), (tx) => tx.register(host_id, REGISTER, record.number))
  const synthesis = await synthesise(hive, caller, session, record.number)
  pruneExports(hive)
  return { name, record, synthesis }
}

function unknownSession(hostId: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: "Nothing was exported.",
    why: "HiveMind has no record of this session yet.",
    use_instead: `Say what it is for first: ${callText("session", "start")}.`,
    evidence: hostId,
  })
}

function subagentSession({ host_id, parent_host_id }: Session): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "Nothing was exported.",
    why: "This is a subagent's session; what it did is in its parent's export.",
    use_instead: `Export the session ${parent_host_id}.`,
    evidence: `session ${host_id}: parent_host_id = ${parent_host_id}`,
  })
}

const REGISTER = "exports"
