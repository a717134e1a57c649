import { join } from "node:path"
import { tryParse } from "../../schemas/checked.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { existsSync, statSync } from "../../store/files/hive-fs.ts"
import { jsonLines } from "../../store/files/json-lines.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import { listFiles } from "../../store/files/text-file.ts"
import { type Injection, injection } from "./record.ts"
import type { SeenMessage } from "./seen-message.ts"

/** Each session's injections by message: in memory, and in a file that outlives the process. */
export function frozenInjections(paths: HivePaths, onError: (what: string, error: unknown) => void) {
  const sessions = new Map<string, Map<string, Injection>>()
  const unsaved = new Map<string, Injection[]>()
  /** Each file's size when last read: another size means that another process has written. */
  const sizes = new Map<string, number>()

  function load(session: string): Map<string, Injection> {
    const loaded = sessions.get(session)
    if (loaded !== undefined) return loaded
    const known = new Map<string, Injection>()
    readNew(session, known)
    sessions.set(session, known)
    return known
  }

  /** Reads what another process has added. If both processes decided about one message, the first injection counts. */
  function readNew(session: string, known: Map<string, Injection>): void {
    const file = injectedFile(paths, session)
    const size = file.size()
    if (size === (sizes.get(session) ?? 0)) return
    for (const record of file.read()) if (!known.has(record.message)) known.set(record.message, record)
    sizes.set(session, size)
  }

  return {
    of: (session: string): ReadonlyMap<string, Injection> => load(session),

    refresh(session: string): void {
      try {
        readNew(session, load(session))
      } catch (error) {
        onError("could not read the injections of another process", error)
      }
    },

    *others(session: string): Generator<{ session: string; injections: readonly Injection[] }> {
      for (const other of injectedSessions(paths).slice(0, MAX_OTHERS))
        if (other !== session) yield { session: other, injections: [...load(other).values()] }
    },

    /** Stores injections for good. Secrets are masked in memory too: after a restart the model must see the same bytes. */
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
        onError("an injection could not be saved", error)
      }
    },
  }
}

export function injectedFile(paths: HivePaths, session: string) {
  // A character such as `/` could lead out of the folder. Hosts do not use such characters in ids.
  const file = jsonLines(join(paths.injected, `${session.replaceAll(/[^\w-]/g, "_")}${ENDING}`))
  return {
    read: (): Injection[] => file.read().flatMap((line) => tryParse(injection, line).data ?? []),
    size: file.size,
    /** Returns how many bytes were added. A project without a graph gets no file: a message alone does not create a hive. */
    append: (records: readonly Injection[]): number => (existsSync(paths.graph) ? file.append(records) : 0),
  }
}

export function injectedSessions(paths: HivePaths): string[] {
  const names = listFiles(paths.injected).filter((name) => name.endsWith(ENDING))
  const dated = names.map((name) => ({ name, time: statSync(join(paths.injected, name)).mtimeMs }))
  return dated
    .sort((a, b) => b.time - a.time || a.name.localeCompare(b.name))
    .map(({ name }) => name.slice(0, -ENDING.length))
}

/**
 * Finds the original of a forked session and returns its injections for the copied messages, so that the provider's cache
 * still matches. Of several possible originals, the one with the most common messages counts.
 */
export function adoptFork(
  users: readonly Pick<SeenMessage, "id" | "sentAt">[],
  others: Iterable<{ session: string; injections: readonly Injection[] }>,
): { source: string; records: Injection[] } | undefined {
  const first = users[0]?.sentAt
  if (first === undefined || users.length < 2) return undefined
  let best: { source: string; records: Injection[] } | undefined
  for (const { session, injections } of others) {
    const bySent = new Map(injections.flatMap((each) => (each.sent === undefined ? [] : [[each.sent, each]])))
    if (!bySent.has(first)) continue
    const records = users.flatMap(({ id, sentAt }) => {
      const copied = sentAt === undefined ? undefined : bySent.get(sentAt)
      // Tool calls have new ids in a fork, so the removals of the original session do not apply.
      return copied === undefined ? [] : [{ ...copied, message: id, pruned: [] }]
    })
    if (records.length > (best?.records.length ?? 0)) best = { source: session, records }
  }
  return best
}

const MAX_OTHERS = 30
const ENDING = ".jsonl"
