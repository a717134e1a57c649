import type { createInjector } from "../context/inject/injector.ts"
import type { SeenMessage } from "../context/inject/seen-message.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Hive } from "../hive/hive.ts"
import { ensureSession } from "../work/session/start.ts"
import type { CallSnapshots } from "./call-snapshots.ts"
import type { LookAround } from "./look-around.ts"

export interface CallsOnlyInput {
  hive: () => Promise<Hive>
  injector: ReturnType<typeof createInjector>
  tree: CallSnapshots
  lookAround: LookAround
}

/** A call of one of our tools that was answered. */
export interface AnsweredCall {
  id: string
  session: string
  agent: string | null
  /** What it is about: what is known of that comes back with the answer. */
  words: string
  /** How much the model reads of it and its answer. */
  chars: number
  /** The model asks where it stands: it may have forgotten all that it was told. */
  wantsAll: boolean
}

/**
 * For a host that shows HiveMind nothing but the calls of its own tools. What a message would carry comes with the answer
 * to a call, and what changed in between is found by looking.
 */
export function callsOnly({ hive, injector, tree, lookAround }: CallsOnlyInput) {
  const told = new Map<string, SeenMessage[]>()
  /** Sessions whose changes are looked for. */
  const watched = new Set<string>()

  /** From now on; in a project without a hive only from when it gets one. */
  async function watch(opened: Hive, session: string): Promise<void> {
    if (watched.has(session) || !opened.store.isThere()) return
    watched.add(session)
    await tree.turnBegins(opened, session)
  }

  async function stateFor({ id, session, words, chars, wantsAll }: AnsweredCall): Promise<readonly string[]> {
    const opened = await hive()
    // Nothing is known of a project that has no hive, and nothing is put there to say so.
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
    // Others may have written while it was looked for.
    const { parts } = injector.inject(await hive(), session, seen, undefined, recalled)
    return parts.get(id) ?? []
  }

  return {
    /** A client has connected: what changes from now on may be its doing. */
    async begin(session: string): Promise<void> {
      await watch(await hive(), session)
    },
    /** Before a call: what was done since the last one belongs to the task of then. */
    async lookAround(session: string): Promise<void> {
      await lookAround(session, "between calls")
    },
    /** What goes with the answer: the whole state the first time, later what changed; "" where nothing did. */
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
    /** The whole state, as the session would be told it now. */
    async whole(session: string): Promise<string> {
      const opened = await hive()
      return opened.store.isThere() ? injector.keyframe(opened, session).parts.join("\n") : ""
    },
  }
}

export type CallsOnly = ReturnType<typeof callsOnly>
