import type { createInjector } from "../context/inject/injector.ts"
import type { SeenMessage } from "../context/inject/seen-message.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Hive } from "../hive/hive.ts"
import { ensureSession } from "../work/session/session.ts"
import type { TurnInput } from "./between-turns.ts"
import type { RecordUnclaimedChanges } from "./turn-end.ts"

interface CallsOnlyInput extends Pick<TurnInput, "hive" | "tree"> {
  injector: ReturnType<typeof createInjector>
  recordUnclaimedChanges: RecordUnclaimedChanges
}

export interface AnsweredCall {
  id: string
  session: string
  agent: string | null
  words: string
  chars: number
  wantsAll: boolean
}

/** For hosts that call only HiveMind's own tools: answers carry the state, and snapshots show the changes. */
export function callsOnly({ hive, injector, tree, recordUnclaimedChanges }: CallsOnlyInput) {
  const told = new Map<string, SeenMessage[]>()
  const watched = new Set<string>()

  /** Notes the state of the work tree as soon as the project has a hive. */
  async function watch(opened: Hive, session: string): Promise<void> {
    if (watched.has(session) || !opened.store.isThere()) return
    watched.add(session)
    await tree.turnBegins(opened, session)
  }

  return {
    async begin(session: string): Promise<void> {
      await watch(await hive(), session)
    },
    recordUnclaimedChanges: (session: string) => recordUnclaimedChanges(session, "between calls"),
    /** The state to send with the answer: all of it first, later the changes. "" without a hive. */
    async told({ id, session, agent, words, chars, wantsAll }: AnsweredCall): Promise<string> {
      const opened = await hive()
      if (!opened.store.isThere()) return ""
      if (sessionOf(opened.store.read().state, session) === undefined) {
        const caller = { session, agent, tool: "connection" }
        await opened.store.write(authorOf(caller), (tx) => {
          ensureSession(tx, caller, opened.source.now(), null)
        })
      }
      await watch(opened, session)
      const message: SeenMessage = {
        ...{ id, role: "user", text: words, isCompactionRequest: false },
        charsWithout: () => chars,
      }
      const seen = [...(wantsAll ? [] : (told.get(session) ?? [])), message]
      told.set(session, seen)
      const recalled = await injector.recalledFor(opened, session, seen)
      const { parts } = injector.inject(await hive(), session, seen, undefined, recalled)
      return (parts.get(id) ?? []).join("\n")
    },
    async whole(session: string): Promise<string> {
      const opened = await hive()
      return opened.store.isThere() ? injector.keyframe(opened, session).parts.join("\n") : ""
    },
  }
}

export type CallsOnly = ReturnType<typeof callsOnly>
