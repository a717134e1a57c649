import type { createInjector } from "../context/inject/injector.ts"
import type { SeenMessage } from "../context/inject/seen-message.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Hive } from "../hive/hive.ts"
import { ensureSession } from "../work/session/session.ts"
import type { CallSnapshots } from "./call-snapshots.ts"
import type { RecordUnclaimedChanges } from "./turn-end.ts"

export interface CallsOnlyInput {
  hive: () => Promise<Hive>
  injector: ReturnType<typeof createInjector>
  tree: CallSnapshots
  recordUnclaimedChanges: RecordUnclaimedChanges
}

/** An answered call of one of our tools. */
export interface AnsweredCall {
  id: string
  session: string
  agent: string | null
  /** The subject: mems about it come back with the answer. */
  words: string
  /** Characters of the call and its answer. */
  chars: number
  /** The model asks for the whole state: it may have forgotten everything. */
  wantsAll: boolean
}

/**
 * For hosts that show HiveMind only the calls of its own tools: state is injected into tool answers, and changes are
 * found by comparing snapshots.
 */
export function callsOnly({ hive, injector, tree, recordUnclaimedChanges }: CallsOnlyInput) {
  const told = new Map<string, SeenMessage[]>()
  /** Sessions whose changes are watched. */
  const watched = new Set<string>()

  /** In a project without a hive, only once it has one. */
  async function watch(opened: Hive, session: string): Promise<void> {
    if (watched.has(session) || !opened.store.isThere()) return
    watched.add(session)
    await tree.turnBegins(opened, session)
  }

  async function stateFor({ id, session, words, chars, wantsAll }: AnsweredCall): Promise<readonly string[]> {
    const opened = await hive()
    // Without a hive there is no state, and none is created.
    if (!opened.store.isThere()) return []
    const messages = wantsAll ? [] : (told.get(session) ?? [])
    const message: SeenMessage = {
      id,
      role: "user",
      text: words,
      isCompactionRequest: false,
      charsWithout: () => chars,
    }
    const seen = [...messages, message]
    told.set(session, seen)
    const recalled = await injector.recalledFor(opened, session, seen)
    // Read again: others may have written meanwhile.
    const { parts } = injector.inject(await hive(), session, seen, undefined, recalled)
    return parts.get(id) ?? []
  }

  return {
    /** A client connected: later changes may be its own. */
    async begin(session: string): Promise<void> {
      await watch(await hive(), session)
    },
    /** Before a call: changes since the last one belong to the task of that time. */
    async recordUnclaimedChanges(session: string): Promise<void> {
      await recordUnclaimedChanges(session, "between calls")
    },
    /** The state to send with the answer: all of it first, later the changes, or "". */
    async told(call: AnsweredCall): Promise<string> {
      const { session, agent } = call
      const opened = await hive()
      if (opened.store.isThere() && sessionOf(opened.store.read().state, session) === undefined) {
        const caller = { session, agent, tool: "connection" }
        await opened.store.write(authorOf(caller), (tx) => {
          ensureSession(tx, caller, opened.source.now(), null)
        })
      }
      await watch(opened, session)
      return (await stateFor(call)).join("\n")
    },
    /** The whole state of now. */
    async whole(session: string): Promise<string> {
      const opened = await hive()
      return opened.store.isThere() ? injector.keyframe(opened, session).parts.join("\n") : ""
    },
  }
}

export type CallsOnly = ReturnType<typeof callsOnly>
