import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { HivePaths } from "../../store/layout.ts"
import { budgetFor } from "../pack/budget.ts"
import { type Answer, pruneOutput } from "../prune/prune.ts"
import { decideInjection } from "./decide.ts"
import { injectedFile } from "./injected-file.ts"
import { packedWarnings } from "./packed-warnings.ts"
import type { Injection } from "./record.ts"

/** A message of the conversation, as far as injection has to know it. */
export interface SeenMessage {
  id: string
  role: "user" | "assistant"
  text: string
  /** The host's own mark of a compaction, not something a person said. */
  isMarker: boolean
  /** Of the model's answers. */
  answer?: Answer | undefined
}

export interface Injected {
  /** The parts for each user message, by its id. */
  parts: ReadonlyMap<string, readonly string[]>
  /** What stands in place of a tool's output, by call. */
  removals: ReadonlyMap<string, string>
}

export interface InjectorInput {
  paths: HivePaths
  evidence: EvidenceCheck
  files: FileLook
  /** Said to the model about what was left out. */
  more: string
  /** Told when something failed; the turn goes on without a block. */
  onError: (what: string, error: unknown) => void
}

/**
 * Remembers what each user message carries. The first time a message is seen it is decided, written down and from
 * then on repeated byte for byte: the provider's cache lives on requests that begin like the one before.
 */
export function createInjector({ paths, evidence, files, more, onError }: InjectorInput) {
  const sessions = new Map<string, Map<string, Injection>>()
  const unsaved = new Map<string, Injection[]>()
  /** How long each session's file is as far as this process knows: another length means that somebody else has written. */
  const sizes = new Map<string, number>()

  /** What is put into a session's messages, and what is taken out of them. */
  function inject(
    hive: Hive,
    session: string,
    messages: readonly SeenMessage[],
    window: number | undefined,
  ): Injected {
    const known = recordsOf(session)
    const users = messages.filter(({ role }) => role === "user")
    if (users.some(({ id }) => !known.has(id))) followOthers(session, known)
    const fresh = users.filter(({ id }) => !known.has(id))
    if (fresh.length > 0) {
      const newest = users.at(-1)
      const decided = fresh.map((message) =>
        message === newest && !message.isMarker
          ? {
              ...decide(hive, session, message, users, window),
              pruned: prune(hive, session, messages.slice(0, messages.indexOf(message))),
            }
          : nothing(
              message.id,
              hive.source.now(),
              "it was there before, or is the host's own",
              scoreOf(session),
            ),
      )
      for (const record of decided) known.set(record.message, record)
      save(session, decided)
    } else if (unsaved.has(session)) save(session, [])
    const parts = new Map(users.map(({ id }) => [id, known.get(id)?.parts ?? []]))
    return { parts, removals: removalsOf(session) }
  }

  function decide(
    hive: Hive,
    session: string,
    message: SeenMessage,
    users: readonly SeenMessage[],
    window: number | undefined,
  ): Injection {
    const now = hive.source.now()
    try {
      const known = recordsOf(session)
      const reading = hive.store.read()
      const { state } = reading
      const record = sessionOf(state, session)
      const isScoped = record !== undefined && record.parent_host_id !== null
      const visible = users.flatMap(({ id }) => known.get(id) ?? [])
      return decideInjection({
        state,
        head: headOf(state, session),
        message,
        visible,
        isFirst: known.size === 0,
        score: scoreOf(session),
        commitAfterFiles: hive.config.commit_after_files,
        options: {
          now,
          budget: budgetFor(window, hive.config.budget_share, isScoped),
          stamp: record?.stamp,
          isScoped,
          more,
          evidence,
          files,
          turningPoints: record?.turning_points,
          warnings: packedWarnings(hive, reading, session, visible, now),
        },
      })
    } catch (error) {
      onError("the state could not be packed; this turn goes on without it", error)
      return nothing(message.id, now, "packing failed", scoreOf(session))
    }
  }

  /** Decided with a new message, once; the records of all messages together say what is pruned. */
  function prune(hive: Hive, session: string, before: readonly SeenMessage[]): Injection["pruned"] {
    try {
      const known = recordsOf(session)
      const last = [...known.values()].at(-1)
      return pruneOutput({
        state: hive.store.read().state,
        session,
        answers: before.flatMap(({ answer }) => answer ?? []),
        isNewMark: (id) => before.some((each) => each.id === id && each.isMarker) && !known.has(id),
        pruned: removalsOf(session),
        lastSentAt: last && Date.parse(last.at),
        now: hive.source.now(),
        lapseMs: hive.config.cache_lapse_minutes * 60_000,
      })
    } catch (error) {
      onError("old tool output could not be pruned", error)
      return []
    }
  }

  function removalsOf(session: string): Map<string, string> {
    const removals = [...recordsOf(session).values()].flatMap(({ pruned }) => pruned)
    return new Map(removals.map(({ call, text }) => [call, text]))
  }

  function scoreOf(session: string): number {
    return [...recordsOf(session).values()].at(-1)?.score ?? 0
  }

  function recordsOf(session: string): Map<string, Injection> {
    const there = sessions.get(session)
    if (there !== undefined) return there
    const loaded = new Map<string, Injection>()
    catchUp(session, loaded)
    sessions.set(session, loaded)
    return loaded
  }

  function followOthers(session: string, known: Map<string, Injection>): void {
    try {
      catchUp(session, known)
    } catch (error) {
      onError("what another process has injected could not be read", error)
    }
  }

  /** A session can be open in two processes: what the other one has decided for a message stands. */
  function catchUp(session: string, known: Map<string, Injection>): void {
    const file = injectedFile(paths, session)
    const size = file.size()
    if (size === (sizes.get(session) ?? 0)) return
    for (const record of file.read()) if (!known.has(record.message)) known.set(record.message, record)
    sizes.set(session, size)
  }

  function save(session: string, records: Injection[]): void {
    const waiting = [...(unsaved.get(session) ?? []), ...records]
    unsaved.set(session, waiting)
    try {
      const added = injectedFile(paths, session).append(waiting)
      if (added > 0) unsaved.delete(session)
      sizes.set(session, (sizes.get(session) ?? 0) + added)
    } catch (error) {
      // Still frozen in this process; only a restart would lose it.
      onError("an injection could not be written down", error)
    }
  }

  return {
    inject,
    /** What each message of a session carries, oldest first. */
    injections: (session: string): Injection[] => [...recordsOf(session).values()],
  }
}

function nothing(message: string, now: number, reason: string, score: number): Injection {
  return {
    message,
    at: new Date(now).toISOString(),
    kind: "none",
    parts: [],
    tokens: 0,
    budget: 0,
    items: [],
    gone: [],
    dropped: [],
    reason,
    score,
    pruned: [],
  }
}
