import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { packDelta } from "../pack/delta.ts"
import { type PackOptions, pack } from "../pack/pack.ts"
import { unmetItems } from "./pre-stop.ts"
import { flowLine, scorePrompt } from "./prompt-length.ts"
import { type Injection, injectedItem, knownFrom } from "./record.ts"

export interface DecideInput {
  state: GraphState
  head: Trajectory | undefined
  message: { id: string; text: string }
  /** Earlier injections whose messages the model still sees, oldest first. */
  visible: readonly Injection[]
  /** No message of the session was decided on before; after a compaction the model may see none of those that were. */
  isFirst: boolean
  /** The score after the last message, seen or not. */
  score: number
  options: PackOptions & { budget: number }
  commitAfterFiles: number
}

/** What a new user message carries: the whole state, what changed, or nothing. Decided once and then frozen. */
export function decideInjection(input: DecideInput): Injection {
  const { state, head, message } = input
  const prompt = scorePrompt(message.text, input.score)
  const reminder = reminderPart(unmetItems(state, head, input.commitAfterFiles, input.options.stamp))
  const flow = prompt.isShort ? flowLine(state, head) : ""
  // All parts share one budget.
  const budget = input.options.budget - countTokens(reminder) - countTokens(flow)
  const options = { ...input.options, budget, whole: input.options.budget }
  const since = sinceKeyframe(input.visible)
  const keyframe = since[0]
  const delta = keyframe === undefined ? undefined : packDelta(state, head, knownFrom(since), options)
  const spent = since.slice(1).reduce((sum, { tokens }) => sum + tokens, 0) + (delta?.tokens ?? 0)
  const reason = keyframeReason(keyframe, spent, prompt.needsKeyframe, input.isFirst)

  const packed = reason === null && delta !== undefined ? delta : { ...pack(state, head, options), gone: [] }
  // A keyframe says by itself where the session is.
  const parts = [packed.xml, reason === null ? flow : "", reminder].filter((part) => part !== "")

  return {
    message: message.id,
    at: new Date(options.now).toISOString(),
    kind: packed.xml === "" ? "none" : reason === null ? "delta" : "keyframe",
    parts,
    tokens: parts.reduce((sum, part) => sum + countTokens(part), 0),
    budget: input.options.budget,
    items: packed.items.map(injectedItem),
    gone: packed.gone,
    dropped: packed.dropped,
    reason: reason ?? (packed.xml === "" ? "nothing changed" : "what changed since the last message"),
    score: prompt.score,
    pruned: [],
  }
}

function reminderPart(unmet: string[]): string {
  return unmet.length === 0 ? "" : ["<before_you_stop>", ...unmet, "</before_you_stop>"].join("\n")
}

function keyframeReason(
  keyframe: Injection | undefined,
  spent: number,
  hasLongPrompts: boolean,
  isFirst: boolean,
): string | null {
  if (keyframe === undefined)
    return isFirst ? "the first message of the session" : "the last full state is out of sight"
  if (hasLongPrompts) return "long prompts have added up"
  if (spent > keyframe.tokens) return "the changes since the last full state outweigh it"
  return null
}

/** The last keyframe that the model still sees, and what came after it. */
function sinceKeyframe(visible: readonly Injection[]): readonly Injection[] {
  const last = visible.findLastIndex(({ kind }) => kind === "keyframe")
  return last < 0 ? [] : visible.slice(last)
}
