import { currentTask } from "../../graph/current-task.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { commitsMadeHere, filesOfCommit, type MadeCommit } from "../../project/git/git.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Session } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { cleanText, shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { addOnce, knownMems, memByRule, replaceMems } from "../memory/by-rule.ts"

/** Makes a mem of every commit since the session began. */
export async function extractCommits(hive: Hive, caller: Caller & { session: string }): Promise<Mem[]> {
  const { store, source, config, dir } = hive
  const session = sessionOf(store.read().state, caller.session)
  if (session === undefined) return []
  // Mems of older commits would be stale at once.
  const oldest = source.now() - config.stale_after_hours * HOUR_MS
  const commits = await commitsMadeHere(dir, Math.max(Date.parse(session.created_at), oldest))
  const isKnown = knownMems(hive)
  // Newest: commits that are skipped below come again on every turn, and must not crowd out others.
  const unknown = commits.filter(({ hash }) => !isKnown(idOf(hash))).slice(-MAX_AT_ONCE)
  const made: Mem[] = []
  const fresh: Mem[] = []
  for (const commit of unknown) {
    const files = (await filesOfCommit(dir, commit.hash))?.filter(
      (path) => !path.startsWith(`${HIVE_FOLDER}/`),
    )
    // Skipped if it touched only other folders or HiveMind's own files. If git cannot list its files, it counts.
    if (files?.length === 0) continue
    const { state } = store.read()
    const mem = memOf(commit, files ?? [], session, state, config.stale_after_hours)
    const amended = commit.replaces === null ? undefined : state.mem.get(idOf(commit.replaces))
    if (amended !== undefined && isMemInForce(amended))
      made.push(...(await replaceMems(hive, caller, [amended], mem)))
    else fresh.push(mem)
  }
  return [...made, ...(await addOnce(hive, caller, fresh))]
}

function memOf(
  { hash, at, subject, body }: MadeCommit,
  files: string[],
  session: Session,
  state: GraphState,
  staleAfterHours: number,
): Mem {
  const lines = body.split("\n").filter((line) => line.trim() !== "" && !TRAILER.test(line))
  const words = cleanText([subject, ...lines].join("\n"), MAX_CHARS)
  return memByRule(
    {
      id: idOf(hash),
      shelf: "commits",
      origin: "commit",
      kind: "fact",
      content: shorten(words, MAX_CHARS) || "a commit without a message",
      session_id: session.host_id,
      stamp: session.stamp,
      origin_task_id: taskOf(state, session.host_id, at),
      tags: [hash.slice(0, SHORT_HASH)],
      evidence: files,
    },
    new Date(at).toISOString(),
    staleAfterHours,
  )
}

/** The task with the commit among its checkpoints, else the current task. */
function taskOf(state: GraphState, hostId: string, at: number): string | null {
  const from = new Date(at).toISOString()
  let found: Checkpoint | undefined
  for (const checkpoint of state.checkpoint.by("session", hostId).backwards()) {
    if (checkpoint.created_at < from) break
    if (checkpoint.ok && /\bcommit\b/.test(checkpoint.command ?? "")) found = checkpoint
  }
  return found?.task_id ?? currentTask(state, hostId)?.id ?? null
}

function idOf(hash: string): string {
  return derivedId("commit", hash)
}

const TRAILER = /^[A-Za-z-]+-by: /
const MAX_AT_ONCE = 10
const MAX_CHARS = 300
const SHORT_HASH = 8
