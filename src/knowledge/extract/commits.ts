import { currentTask } from "../../graph/current-task.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { commitsMadeHere, filesOfCommit, type MadeCommit } from "../../project/git/git.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { cleanText, shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { SessionCaller } from "../../work/write.ts"
import { addOnce, knownMems, memByRule, replaceMems } from "../memory/by-rule.ts"

export async function extractCommits(hive: Hive, caller: SessionCaller): Promise<Mem[]> {
  const { store, source, config, dir } = hive
  const session = sessionOf(store.read().state, caller.session)
  if (session === undefined) return []
  // Older commits are left out: their mems would expire at once.
  const oldest = source.now() - config.stale_after_hours * HOUR_MS
  const commits = await commitsMadeHere(dir, Math.max(Date.parse(session.created_at), oldest))
  const isKnown = knownMems(hive)
  // Only the newest commits are looked at. Those that get no mem come up again each turn and would crowd out newer ones.
  const unknown = commits.filter(({ hash }) => !isKnown(idOf(hash))).slice(-MAX_AT_ONCE)
  const made: Mem[] = []
  const fresh: Mem[] = []
  for (const commit of unknown) {
    const files = (await filesOfCommit(dir, commit.hash))?.filter(
      (path) => !path.startsWith(`${HIVE_FOLDER}/`),
    )
    // A commit that changed only other folders or HiveMind's own files is skipped. If git cannot list its files, it is kept.
    if (files?.length === 0) continue
    const mem = memOf(hive, commit, files ?? [], caller.session)
    const { state } = store.read()
    const amended = commit.replaces === null ? undefined : state.mem.get(idOf(commit.replaces))
    if (amended !== undefined && isMemInForce(amended))
      made.push(...(await replaceMems(hive, caller, [amended], mem)))
    else fresh.push(mem)
  }
  return [...made, ...(await addOnce(hive, caller, fresh))]
}

function memOf(
  hive: Hive,
  { hash, at, subject, body }: MadeCommit,
  files: string[],
  session_id: string,
): Mem {
  const lines = body.split("\n").filter((line) => line.trim() !== "" && !TRAILER.test(line))
  const words = cleanText([subject, ...lines].join("\n"), MAX_CHARS)
  return memByRule(hive, new Date(at).toISOString(), {
    id: idOf(hash),
    shelf: "commits",
    origin: "commit",
    kind: "fact",
    content: shorten(words, MAX_CHARS) || "a commit without a message",
    session_id,
    origin_task_id: taskOf(hive.store.read().state, session_id, at),
    tags: [hash.slice(0, SHORT_HASH)],
    evidence: files,
  })
}

/** The task whose call made the commit: that of the first checkpoint after it with a commit command, else the current task. */
function taskOf(state: GraphState, hostId: string, at: number): string | null {
  const from = new Date(at).toISOString()
  let found: Checkpoint | undefined
  for (const checkpoint of state.checkpoint.by("session", hostId).backwards()) {
    if (checkpoint.created_at < from) break
    if (checkpoint.ok && /\bcommit\b/.test(checkpoint.command ?? "")) found = checkpoint
  }
  return found?.task_id ?? currentTask(state, hostId)?.id ?? null
}

const idOf = (hash: string): string => derivedId("commit", hash)

const TRAILER = /^[A-Za-z-]+-by: /
const MAX_AT_ONCE = 10
const MAX_CHARS = 300
const SHORT_HASH = 8
