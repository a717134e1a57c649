import * as z from "zod"
import { isDoneTask, isOpenTask, isOverTask } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { type Call, chooseStale, type Span } from "./choose.ts"

/** An answer of the model, as far as pruning has to know it. */
export interface Answer {
  /** In ms; undefined while it is being given. */
  endedAt: number | undefined
  /** The message that this is a finished summary for. */
  summaryFor: string | undefined
  /** Its finished tool calls. */
  calls: readonly { id: string; tool: string; at: number; output: string; isRepeatable: boolean }[]
}

export interface PruneInput {
  /** Asked for only where something may be pruned, which is seldom. */
  state: () => GraphState
  session: string
  /** The answers before the newest user message. */
  answers: readonly Answer[]
  /** True of a message that asks for a compaction and that no request has had yet. */
  isNewCompactionRequest: (message: string) => boolean
  /** Earlier removals, by call. */
  pruned: ReadonlyMap<string, string>
  /** When the message before this one was sent, in ms. It counts also where it was reverted: its request is cached. */
  lastSentAt: number | undefined
  now: number
  lapseMs: number
}

/** A call whose output is replaced from now on, and by what. */
export const removal = z.strictObject({ call: z.string(), text: z.string() })
type Removal = z.infer<typeof removal>

/**
 * The tool output that is taken out of this request and all later ones. Only where the provider has nothing cached to
 * lose: right after a compaction, or when the last request is too long ago. Else nothing.
 */
export function pruneOutput(input: PruneInput): Removal[] {
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

/** When a session worked on which of its tasks. */
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

/** Scaled from the beginning: nobody needs it exact, and outputs can be very long. */
function sizeOf(output: string): number {
  const sample = output.slice(0, SAMPLE_CHARS)
  if (sample === "") return 0
  return Math.round((countTokens(sample) * output.length) / sample.length)
}

const SAMPLE_CHARS = 4000
