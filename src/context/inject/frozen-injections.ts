import { maskAll } from "../../shared/secrets/mask.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import { injectedFile, injectedSessions } from "./injected-file.ts"
import type { Injection } from "./record.ts"

/** What each message carries, by session: in memory, and in a file that outlives the process. */
export function frozenInjections(paths: HivePaths, onError: (what: string, error: unknown) => void) {
  const sessions = new Map<string, Map<string, Injection>>()
  const unsaved = new Map<string, Injection[]>()
  /** How long each session's file is as far as this process knows: another length means that another process wrote. */
  const sizes = new Map<string, number>()

  function load(session: string): Map<string, Injection> {
    const there = sessions.get(session)
    if (there !== undefined) return there
    const loaded = new Map<string, Injection>()
    readNew(session, loaded)
    sessions.set(session, loaded)
    return loaded
  }

  /** A session can be open in two processes. What was decided first for a message counts in both. */
  function readNew(session: string, known: Map<string, Injection>): void {
    const file = injectedFile(paths, session)
    const size = file.size()
    if (size === (sizes.get(session) ?? 0)) return
    for (const record of file.read()) if (!known.has(record.message)) known.set(record.message, record)
    sizes.set(session, size)
  }

  return {
    /** By message, oldest first. Goes on to show what is added later. */
    of: (session: string): ReadonlyMap<string, Injection> => load(session),

    /** Takes in what another process has decided since. */
    refresh(session: string): void {
      try {
        readNew(session, load(session))
      } catch (error) {
        onError("what another process has injected could not be read", error)
      }
    },

    /** What other sessions carry, the ones that were last at work first. */
    *others(session: string): Generator<{ session: string; injections: readonly Injection[] }> {
      for (const other of injectedSessions(paths).slice(0, MAX_OTHERS))
        if (other !== session) yield { session: other, injections: [...load(other).values()] }
    },

    /**
     * From here on these messages carry this. What could not be saved before is tried again. Masked before the model reads
     * it, not only in the file: after a restart it has to be the same bytes.
     */
    add(session: string, decided: readonly Injection[]): void {
      const known = load(session)
      const records = maskAll(decided)
      for (const record of records) known.set(record.message, record)
      const waiting = [...(unsaved.get(session) ?? []), ...records]
      if (waiting.length === 0) return
      unsaved.set(session, waiting)
      try {
        const added = injectedFile(paths, session).append(waiting)
        if (added > 0) unsaved.delete(session)
        sizes.set(session, (sizes.get(session) ?? 0) + added)
      } catch (error) {
        // Still frozen in this process; only a restart would lose it.
        onError("an injection could not be saved", error)
      }
    },
  }
}

// A session is forked while people work on it, or soon after.
const MAX_OTHERS = 30
