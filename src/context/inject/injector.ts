import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { FileStatusLookup } from "../../project/document/file-status.ts"
import type { CodeFactsLookup } from "../../schemas/codemap.ts"
import { vocabularyOf } from "../../shared/text/tokens.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import { budgetFor } from "../pack/fit-block.ts"
import type { Recalled } from "../pack/knowledge-items.ts"
import { pruneOutput } from "../prune/prune.ts"
import { createRecalls } from "../words/recalls.ts"
import { decideInjection } from "./decide.ts"
import { adoptFork, frozenInjections } from "./frozen-injections.ts"
import { driftNow, packedWarnings } from "./packed-warnings.ts"
import { type Injection, noInjection } from "./record.ts"
import { conversationLengths, type SeenMessage, type SeenModel } from "./seen-message.ts"

export interface Injected {
  parts: ReadonlyMap<string, readonly string[]>
  removals: ReadonlyMap<string, string>
}

export interface InjectorInput {
  paths: HivePaths
  evidence: EvidenceCheck
  files: FileStatusLookup
  code?: CodeFactsLookup
  more: string
  onError: (what: string, error: unknown) => void
  onFork?: (session: string, source: string) => void
}

/** Decides what a new user message carries, and repeats it byte for byte in later requests: the provider's cache needs that. */
export function createInjector({ paths, evidence, files, code, more, onError, onFork }: InjectorInput) {
  const frozen = frozenInjections(paths, onError)
  const recalls = createRecalls(onError)
  const lengthOf = conversationLengths()
  const sources = new Map<string, string>()
  /** By session, a hint for the model: which task the last message may mean, or that it may contain a rule. */
  const hinted = new Map<string, string>()

  function adopt(session: string, users: readonly SeenMessage[]): void {
    try {
      const fork = adoptFork(users, frozen.others(session))
      if (fork === undefined) return
      frozen.add(session, fork.records)
      sources.set(session, fork.source)
      onFork?.(session, fork.source)
    } catch (error) {
      onError("could not check whether the session is a fork", error)
    }
  }

  /** Recalls mems for the newest message and the current task. Returns none if the message's injection is already decided. */
  async function recalledFor(
    hive: Hive,
    session: string,
    messages: readonly SeenMessage[],
  ): Promise<readonly Recalled[]> {
    const known = frozen.of(session)
    const newest = messages.findLast(({ role }) => role === "user")
    if (newest === undefined || known.has(newest.id) || newest.isCompactionRequest) return []
    return recalls.take(hive, session, newest.text, known.size === 0)
  }

  function inject(
    hive: Hive,
    session: string,
    messages: readonly SeenMessage[],
    model: SeenModel | undefined,
    recalled: readonly Recalled[] = [],
  ): Injected {
    const known = frozen.of(session)
    const users = messages.filter(({ role }) => role === "user")
    // Done on every request, because another process may have removed old tool output in the meantime.
    frozen.refresh(session)
    if (known.size === 0) adopt(session, users)
    const fresh = users.filter(({ id }) => !known.has(id))
    const isNewest = (message: SeenMessage) => message === users.at(-1) && !message.isCompactionRequest
    const decided = fresh.map((message) =>
      isNewest(message)
        ? {
            ...decide(hive, session, message, messages, model, recalled),
            ...(message.sentAt !== undefined && { sent: message.sentAt }),
            pruned: prune(hive, session, messages.slice(0, messages.indexOf(message))),
          }
        : noInjection(message.id, hive.source.now(), NOT_OURS, lastScore(known)),
    )
    frozen.add(session, decided)
    const parts = new Map(users.map(({ id }) => [id, known.get(id)?.parts ?? []]))
    return { parts, removals: removalsIn(known) }
  }

  function decide(
    hive: Hive,
    session: string,
    message: Pick<SeenMessage, "id" | "text">,
    messages: readonly SeenMessage[],
    model: SeenModel | undefined,
    recalled: readonly Recalled[],
  ): Injection {
    const now = hive.source.now()
    const known = frozen.of(session)
    try {
      const reading = hive.store.read()
      const { state } = reading
      const record = sessionOf(state, session)
      const isScoped = record !== undefined && record.parent_host_id !== null
      const visible = messages.flatMap(({ id }) => known.get(id) ?? [])
      const hint = hinted.get(session) ?? ""
      hinted.delete(session)
      const injection = decideInjection({
        state,
        head: headOf(state, record === undefined ? (sources.get(session) ?? session) : session),
        message,
        visible,
        isFirst: known.size === 0,
        score: lastScore(known),
        conversationTokens: lengthOf(session, messages, removalsIn(known)),
        commitAfterFiles: hive.config.commit_after_files,
        hint,
        maxBytes: model?.maxBytes,
        options: {
          now,
          branch: hive.branch(),
          vocabulary: vocabularyOf(model?.name),
          budget: budgetFor(model?.window, hive.config.budget_share, isScoped),
          stamp: record?.stamp,
          isScoped,
          more,
          evidence,
          files,
          code,
          recalled,
          archivedCount: hive.store.archive.size(),
          archived: (id) => hive.store.archive.get(id),
          turningPoints: record?.turning_points,
          warnings: packedWarnings(hive, reading, session, visible, now),
        },
      })
      return { ...injection, drift: driftNow(hive, state, session) }
    } catch (error) {
      onError(NOT_PACKED, error)
      return noInjection(message.id, now, "packing failed", lastScore(known))
    }
  }

  function prune(hive: Hive, session: string, before: readonly SeenMessage[]): Injection["pruned"] {
    try {
      const known = frozen.of(session)
      const last = [...known.values()].at(-1)
      return pruneOutput({
        state: () => hive.store.read().state,
        session,
        answers: before.flatMap(({ answer }) => answer ?? []),
        isNewCompactionRequest: (id) =>
          before.some((each) => each.id === id && each.isCompactionRequest) && !known.has(id),
        pruned: removalsIn(known),
        lastSentAt: last && Date.parse(last.at),
        now: hive.source.now(),
        lapseMs: hive.config.cache_lapse_minutes * 60_000,
      })
    } catch (error) {
      onError("old tool output could not be pruned", error)
      return []
    }
  }

  return {
    inject,
    recalledFor,
    beginRecall: recalls.begin,
    /** The current full state of this session, for a new session that continues its work. */
    keyframe: (hive: Hive, session: string): Injection =>
      decide(hive, session, { id: "handoff", text: "" }, [], undefined, []),
    /** Records that a stored message already contains a whole state: later messages carry only changes. */
    noteTold(session: string, message: string, told: Injection): void {
      frozen.add(session, [{ ...told, message, parts: [] }])
    },
    hintAt(session: string, hint: string): void {
      hinted.set(session, hint)
    },
    injections: (session: string): Injection[] => [...frozen.of(session).values()],
  }
}

function removalsIn(known: ReadonlyMap<string, Injection>): Map<string, string> {
  const removals = new Map<string, string>()
  for (const { pruned } of known.values()) for (const { call, text } of pruned) removals.set(call, text)
  return removals
}

const lastScore = (known: ReadonlyMap<string, Injection>): number => [...known.values()].at(-1)?.score ?? 0

const NOT_OURS = "the message was sent before HiveMind ran here, or by the host itself"
export const NOT_PACKED =
  "the plan and memory could not be packed for this message; the model works without them"
