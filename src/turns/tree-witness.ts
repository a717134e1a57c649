import type { GateCall } from "../gate/call.ts"
import type { Hive } from "../hive/hive.ts"
import { lookAtTree } from "../project/tree/look.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"
import { governanceFor } from "../work/session/governance.ts"

/**
 * Knows what calls have done to the files, by looking at the tree when they are over: a command's text, a script or a
 * tool of somebody else's does not tell. Never rejects: what cannot be seen counts as nothing.
 */
export function treeWitness(dir: string, log: Log) {
  const tree = lookAtTree(dir)
  /** Calls under way that may write, with the files they name. */
  const underWay = new Map<string, { session: string; named: ReadonlySet<string> }>()
  /** Found by a look that nobody waited for any more. */
  let unclaimed: string[] = []
  /** How many calls that may write have begun. */
  let begun = 0
  let lastLimit: string | null = null
  let lookedAt = 0
  /** The look with which a turn begins. */
  let beginning: Promise<unknown> | undefined

  async function look(opened: Hive, session: string): Promise<string[]> {
    const since = lookedAt
    lookedAt = opened.source.now()
    const looking = tree.look()
    const found = await withTimeout(looking, LOOK_MS)
    if (found.timedOut) {
      log("info", `the look at the tree took more than ${LOOK_MS} ms`)
      looking.then(
        ({ changed }) => unclaimed.push(...changed),
        (error: unknown) => log("error", FAILED, error),
      )
      return []
    }
    const { changed, limit } = found.value
    if (limit !== lastLimit && limit !== null) log("info", `not all changes of files are seen: ${limit}`)
    lastLimit = limit
    const all = [...new Set([...unclaimed, ...changed])]
    unclaimed = []
    return all.filter((path) => !isOthers(opened, session, path, since))
  }

  /** A call under way will tell of the files it names; another process has told of what its sessions wrote. */
  function isOthers(opened: Hive, session: string, path: string, since: number): boolean {
    for (const { named } of underWay.values()) if (named.has(path)) return true
    for (const { session_id, created_at } of opened.store
      .read()
      .state.checkpoint.by("wrote", path)
      .backwards())
      return session_id !== session && Date.parse(created_at) > since
    return false
  }

  async function safeLook(opened: Hive, session: string): Promise<string[]> {
    try {
      return await look(opened, session)
    } catch (error) {
      log("error", FAILED, error)
      return []
    }
  }

  return {
    /** Before a call runs. One that may write waits until there is something to compare with. */
    async begin(opened: Hive, call: GateCall): Promise<void> {
      if (!isWatched(opened, call.session)) return
      const sort = effectOf(call)
      if (sort === "none") return
      begun++
      underWay.set(call.id, { session: call.session, named: new Set(sort === "named" ? call.writes : []) })
      if (sort !== "unknown") return
      if (beginning !== undefined) await beginning
      if (!tree.hasBegun()) await safeLook(opened, call.session)
    },
    /** What has changed by the end of a call: nothing for one that cannot write, the files it names for one that does. */
    async end(opened: Hive, call: GateCall): Promise<string[]> {
      underWay.delete(call.id)
      const sort = effectOf(call)
      if (sort === "named") tree.account(call.writes)
      if (sort !== "unknown" || !isWatched(opened, call.session)) return []
      return safeLook(opened, call.session)
    },
    /** A call that ended without a result. What it did until then is found by the next look. */
    drop(id: string): void {
      underWay.delete(id)
    },
    /** For a call that is under way itself. */
    watchWriters(): () => boolean {
      const before = begun
      const isAlone = underWay.size <= 1
      return () => isAlone && begun === before
    },
    /** What came after the last call of a turn. */
    async turnEnded(opened: Hive, session: string): Promise<string[]> {
      for (const [id, call] of underWay) if (call.session === session) underWay.delete(id)
      // A call of another session will tell what it has changed.
      if (underWay.size > 0 || !tree.hasBegun() || !isWatched(opened, session)) return []
      return safeLook(opened, session)
    },
    /** A user begins a turn: what changed since the last one is not the agent's doing, unless an agent is at work. */
    async turnBegins(opened: Hive, session: string): Promise<void> {
      if (underWay.size > 0 || !isWatched(opened, session)) return
      const looking = safeLook(opened, session).finally(() => {
        if (beginning === looking) beginning = undefined
      })
      beginning = looking
      await looking
    },
  }
}

export type TreeWitness = ReturnType<typeof treeWitness>

/** In a project that does not use HiveMind nobody asks what has changed. */
function isWatched({ store, config }: Hive, session: string): boolean {
  return store.isThere() || governanceFor(store.read().state, config, session).mode === "strict"
}

/** What a call may do to files: nothing, write the ones it names, or nobody knows what. */
export function effectOf({ use, own, command, shell }: GateCall): "none" | "named" | "unknown" {
  if (command !== null) return shell?.kind === "read" && shell.writes.length === 0 ? "none" : "unknown"
  // Completing a task may run its check.
  if (own !== null) return own.tool === "task" && own.args["action"] === "complete" ? "unknown" : "none"
  if (use === "write") return "named"
  return use === "delegate" || use === "other" ? "unknown" : "none"
}

const FAILED = "could not look at the tree"
// A turn waits no longer for it.
const LOOK_MS = 3000
