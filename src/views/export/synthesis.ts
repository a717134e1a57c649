import { currentTask } from "../../graph/current-task.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { numberIn, registersOf } from "../../graph/metrics.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { memByRule } from "../../knowledge/memory/by-rule.ts"
import type { SessionExport } from "../../schemas/export.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Session } from "../../schemas/session.ts"
import { derivedId } from "../../shared/ids.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { listExports } from "./export-folder.ts"
import { synthesisText } from "./synthesis-text.ts"

/**
 * Every fourth export of a session becomes a mem with the outcome of these turns. It supersedes the session's former one,
 * so the packed state holds one at most; recall finds the older ones in the archive.
 *
 * Written under the lock, with an id that follows from session and round: neither a second process nor a crash, nor a mem
 * that has left for the archive since, ever makes two. One that a crash left out is made with the next export. The
 * register only says how far it got, so that most exports need not look.
 */
export async function synthesise(
  hive: Hive,
  caller: Caller,
  session: Session,
  number: number,
): Promise<Mem | null> {
  const round = Math.floor(number / EXPORTS_PER_SYNTHESIS)
  if (numberIn(registersOf(hive.store.read().state, session.host_id), REGISTER) >= round) return null
  const mem = composeMem(hive, session, round)
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const done = numberIn(tx.get("metrics", session.host_id)?.registers ?? {}, REGISTER)
    if (done >= round) return null
    tx.register(session.host_id, REGISTER, round)
    if (mem === null || tx.get("mem", mem.id) !== undefined || hive.store.archive.has(mem.id)) return null
    const former = formerSynthesis(tx, session, round)
    tx.add("mem", { ...mem, supersedes: former?.id ?? null })
    if (former !== undefined) tx.set("mem", former.id, { status: "superseded", updated_at: mem.created_at })
    return tx.need("mem", mem.id)
  })
  return result
}

/** The mem of a round, or null if the round had no outcome. */
function composeMem(hive: Hive, session: Session, round: number): Mem | null {
  const { state } = hive.store.read()
  const exports = exportsOfRound(hive, session, round)
  const content = exports.length === 0 ? "" : synthesisText(state, session.host_id, exports)
  if (content === "") return null
  const files = exports.flatMap((each) => each.files.filter(({ exists }) => exists).map(({ path }) => path))
  return memByRule(
    {
      id: idOf(session, round),
      shelf: "synthesis",
      origin: "export",
      kind: "insight",
      content,
      session_id: session.host_id,
      stamp: session.stamp,
      origin_task_id: currentTask(state, session.host_id)?.id ?? null,
      evidence: [...new Set(files)],
    },
    new Date(hive.source.now()).toISOString(),
    hive.config.stale_after_hours,
  )
}

/** Oldest first; fewer than four if those of other sessions have pushed some out of the folder. */
function exportsOfRound({ home }: Hive, session: Session, round: number): SessionExport[] {
  const from = (round - 1) * EXPORTS_PER_SYNTHESIS
  return listExports(hivePaths(home))
    .exports.map(({ record }) => record)
    .filter((record) => record.session.host_id === session.host_id)
    .filter(({ number }) => number > from && number <= from + EXPORTS_PER_SYNTHESIS)
    .sort((a, b) => a.number - b.number)
}

/** The last synthesis before this round, if it is still in force. */
function formerSynthesis(tx: Transaction, session: Session, round: number): Mem | undefined {
  for (let earlier = round - 1; earlier > 0; earlier--) {
    const mem = tx.get("mem", idOf(session, earlier))
    if (mem !== undefined) return isMemInForce(mem) ? mem : undefined
  }
  return undefined
}

function idOf({ host_id }: Session, round: number): string {
  return derivedId("synthesis", host_id, String(round))
}

const EXPORTS_PER_SYNTHESIS = 4
const REGISTER = "syntheses"
