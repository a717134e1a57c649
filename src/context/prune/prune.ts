import * as z from "zod"
import { isDoneTask, isOpenTask, isOverTask } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"

export interface Answer {
  /** In ms; undefined while the answer is streaming. */
  endedAt: number | undefined
  /** The id of the compaction request whose finished summary this is. */
  summaryFor: string | undefined
  calls: readonly { id: string; tool: string; at: number; output: string; isRepeatable: boolean }[]
}

export interface PruneInput {
  /** Called only if something may be pruned, which is rare. */
  state: () => GraphState
  session: string
  answers: readonly Answer[]
  /** True if the message with this id requests a compaction and HiveMind sees it for the first time. */
  isNewCompactionRequest: (message: string) => boolean
  pruned: ReadonlyMap<string, string>
  /** When HiveMind last decided an injection, in ms. A reverted message counts too: the provider has cached its request. */
  lastSentAt: number | undefined
  now: number
  lapseMs: number
}

export const removal = z.strictObject({ call: z.string(), text: z.string() })

/** Removes old tool output only when the provider's cache is lost anyway: after a compaction or a long pause. */
export function pruneOutput(input: PruneInput): z.infer<typeof removal>[] {
  if (!isCacheGone(input)) return []
  const calls = input.answers
    .flatMap((answer) => answer.calls)
    .map(({ output, ...call }) => ({ ...call, size: sizeOf(output) }))
  return chooseStale(calls, spansOf(input.state(), input.session))
    .filter(({ call }) => !input.pruned.has(call.id))
    .map(({ call, span }) => ({ call: call.id, text: removalText(call, span) }))
}

function isCacheGone({ answers, isNewCompactionRequest, lastSentAt, now, lapseMs }: PruneInput): boolean {
  let last: number | undefined
  for (const { summaryFor, endedAt } of answers) {
    if (summaryFor !== undefined && isNewCompactionRequest(summaryFor)) return true
    if (endedAt !== undefined) last = Math.max(last ?? 0, endedAt)
  }
  return last !== undefined && now - Math.max(last, lastSentAt ?? 0) > lapseMs
}

function removalText({ tool, size }: Call, { title, state }: Span): string {
  const work = state === "done" ? "finished" : "given up"
  const shown = { tool, tokens: size, work, task: shorten(title, 60) }
  return element("output_removed", shown, "Call the tool again if you need it.")
}

function spansOf(state: GraphState, session: string): Span[] {
  const atHand = new Set(headOf(state, session)?.active_task_ids ?? [])
  return [...state.task.by("session", session)].flatMap((task) => {
    if (task.started_at === null) return []
    const end = isOverTask(task) ? Date.parse(task.completed_at ?? task.updated_at) : null
    return [{ title: task.title, from: Date.parse(task.started_at), to: end, state: stateOf(task, atHand) }]
  })
}

function stateOf(task: Task, atHand: ReadonlySet<string>): Span["state"] {
  if (atHand.has(task.id)) return "at hand"
  if (isOpenTask(task)) return "open"
  return isDoneTask(task) ? "done" : "given up"
}

/** Estimates an output's tokens from its beginning, because counting a very long output is slow. */
function sizeOf(output: string): number {
  const sample = output.slice(0, SAMPLE_CHARS)
  if (sample === "") return 0
  return Math.round((countTokens(sample) * output.length) / sample.length)
}

export interface Call {
  id: string
  tool: string
  at: number
  size: number
  isRepeatable: boolean
}

/** The time in which a task was worked on; `to` is null while the work goes on. */
export interface Span {
  title: string
  from: number
  to: number | null
  state: "at hand" | "open" | "done" | "given up"
}

/** The calls whose output can go: those of given-up tasks, then of finished ones. The newest and unrepeatable calls stay. */
export function chooseStale(calls: readonly Call[], spans: readonly Span[]): { call: Call; span: Span }[] {
  const oldestFirst = [...calls].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const stale = oldestFirst.slice(0, -KEPT_NEWEST).flatMap((call) => {
    const span = spanOf(call, spans)
    return span !== undefined && isStale(call, span) ? [{ call, span }] : []
  })
  return [
    ...stale.filter(({ span }) => span.state === "given up"),
    ...stale.filter(({ span }) => span.state === "done"),
  ]
}

function spanOf({ at }: Call, spans: readonly Span[]): Span | undefined {
  const around = spans.filter(({ from, to }) => from <= at && (to === null || at <= to))
  const latestFirst = [...around].sort((a, b) => b.from - a.from)
  return latestFirst.find(({ state }) => state === "at hand") ?? latestFirst[0]
}

function isStale({ size, isRepeatable }: Call, { state }: Span): boolean {
  if (!isRepeatable) return false
  if (state === "given up") return size >= MIN_TOKENS_GIVEN_UP
  return state === "done" && size >= MIN_TOKENS
}

const SAMPLE_CHARS = 4000
const KEPT_NEWEST = 3
const MIN_TOKENS = 400
const MIN_TOKENS_GIVEN_UP = 150
