import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { CodeLook } from "../../project/codemap/code-look.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Task } from "../../schemas/task.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import { budgetFor } from "../pack/budget.ts"
import type { Recalled } from "../pack/recalled.ts"
import { pruneOutput } from "../prune/prune.ts"
import { createRecalls } from "../words/recalls.ts"
import { decideInjection } from "./decide.ts"
import { driftNow } from "./drift-now.ts"
import { adoptFork } from "./fork.ts"
import { frozenInjections } from "./frozen-injections.ts"
import { modelScripts } from "./model-scripts.ts"
import { outdatedWarnings, packedWarnings } from "./packed-warnings.ts"
import { type Injection, noInjection } from "./record.ts"
import { conversationLengths } from "./repeats.ts"
import { answersToLast, type SeenMessage, type SeenModel } from "./seen-message.ts"
import { taskHint } from "./task-hint.ts"

export interface Injected {
  /** The parts for each user message, by its id. */
  parts: ReadonlyMap<string, readonly string[]>
  /** What replaces a tool's output, by call. */
  removals: ReadonlyMap<string, string>
}

export interface InjectorInput {
  paths: HivePaths
  evidence: EvidenceCheck
  files: FileLook
  /** What the code map knows of a file; left out where there is none. */
  code?: CodeLook
  /** Said to the model about what was left out. */
  more: string
  /** Something failed; the turn goes on without a block. */
  onError: (what: string, error: unknown) => void
  /** A session turns out to be a copy of another one. */
  onFork?: (session: string, source: string) => void
}

/**
 * Decides what a user message carries the first time it is seen, and from then on repeats it byte for byte: the
 * provider's cache lives on requests that begin like the one before.
 */
export function createInjector({ paths, evidence, files, code, more, onError, onFork }: InjectorInput) {
  const frozen = frozenInjections(paths, onError)
  const recalls = createRecalls(onError)
  const lengthOf = conversationLengths()
  const scripts = modelScripts(paths, onError)
  /** Which session each fork is a copy of. */
  const sources = new Map<string, string>()
  /** The task that each session's last message may mean. */
  const hinted = new Map<string, Task>()

  function adopt(session: string, users: readonly SeenMessage[]): void {
    try {
      const fork = adoptFork(users, frozen.others(session))
      if (fork === undefined) return
      frozen.add(session, fork.records)
      sources.set(session, fork.source)
      onFork?.(session, fork.source)
    } catch (error) {
      onError("it could not be looked whether the session is a fork", error)
    }
  }

  /** What the newest message and the task at hand bring back, where that is still to be decided. Waits little. */
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

  /** What is put into a session's messages, and what is taken out of them. */
  function inject(
    hive: Hive,
    session: string,
    messages: readonly SeenMessage[],
    model: SeenModel | undefined,
    recalled: readonly Recalled[] = [],
  ): Injected {
    const known = frozen.of(session)
    const users = messages.filter(({ role }) => role === "user")
    // Also without a new message: another process may have pruned with one that was taken back since.
    frozen.refresh(session)
    if (known.size === 0) adopt(session, users)
    const fresh = users.filter(({ id }) => !known.has(id))
    const isNewest = (message: SeenMessage) => message === users.at(-1) && !message.isCompactionRequest
    if (fresh.length > 0) scripts.learn(answersToLast(messages))
    const decided = fresh.map((message) =>
      isNewest(message)
        ? {
            ...decide(hive, session, message, messages, model, recalled),
            ...(message.sentAt !== undefined && { sent: message.sentAt }),
            pruned: prune(hive, session, messages.slice(0, messages.indexOf(message))),
          }
        : noInjection(
            message.id,
            hive.source.now(),
            "it was there before, or is the host's own",
            lastScore(known),
          ),
    )
    frozen.add(session, decided)
    const parts = new Map(users.map(({ id }) => [id, known.get(id)?.parts ?? []]))
    return { parts, removals: removalsIn(known) }
  }

  function decide(
    hive: Hive,
    session: string,
    message: SeenMessage,
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
      const injection = decideInjection({
        state,
        head: headOf(state, record === undefined ? (sources.get(session) ?? session) : session),
        message,
        visible,
        isFirst: known.size === 0,
        score: lastScore(known),
        conversationTokens: lengthOf(session, messages, removalsIn(known)),
        commitAfterFiles: hive.config.commit_after_files,
        hint: takeHint(session),
        options: {
          now,
          branch: hive.branch(),
          vocabulary: scripts.vocabularyOf(model?.name),
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
          outdated: outdatedWarnings(hive, reading, session, visible, now),
        },
      })
      return { ...injection, drift: driftNow(hive, state, session) }
    } catch (error) {
      onError(NOT_PACKED, error)
      return noInjection(message.id, now, "packing failed", lastScore(known))
    }
  }

  function takeHint(session: string): string {
    const task = hinted.get(session)
    hinted.delete(session)
    return task === undefined ? "" : taskHint(task)
  }

  /** Decided with a new message, once; the records of all messages together say what is pruned. */
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

  /** The whole state as this session would be told it now, for one that goes on with its work. */
  function keyframe(hive: Hive, session: string): Injection {
    const message: SeenMessage = {
      id: "handoff",
      role: "user",
      text: "",
      isCompactionRequest: false,
      charsWithout: () => 0,
    }
    return decide(hive, session, message, [], undefined, [])
  }

  return {
    keyframe,
    /** A message that was stored with a session's whole state in it: what comes after it is only what changed. */
    noteTold(session: string, message: string, told: Injection): void {
      frozen.add(session, [{ ...told, message, parts: [] }])
    },
    /** A message has come: what its words are about is looked for until it is sent. */
    beginRecall: recalls.begin,
    recalledFor,
    /** A message has come that may mean this task. */
    hintAt(session: string, task: Task | undefined): void {
      if (task === undefined) hinted.delete(session)
      else hinted.set(session, task)
    },
    inject,
    /** What each message of a session carries, oldest first. */
    injections: (session: string): Injection[] => [...frozen.of(session).values()],
  }
}

/** What replaces a tool's output, by call. */
function removalsIn(known: ReadonlyMap<string, Injection>): Map<string, string> {
  const removals = new Map<string, string>()
  for (const { pruned } of known.values()) for (const { call, text } of pruned) removals.set(call, text)
  return removals
}

function lastScore(known: ReadonlyMap<string, Injection>): number {
  return [...known.values()].at(-1)?.score ?? 0
}

/** Told to people too: the model goes without its state. */
export const NOT_PACKED = "the state could not be packed; this turn goes on without it"
