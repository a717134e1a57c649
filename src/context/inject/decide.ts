import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import type { Block } from "../pack/block.ts"
import { packDelta } from "../pack/delta.ts"
import { keyOf } from "../pack/item.ts"
import { gatherItems, type PackOptions, pack } from "../pack/pack.ts"
import { reminderFor, unmetItems } from "./pre-stop.ts"
import { flowLine, scorePrompt } from "./prompt-length.ts"
import { type Injection, injectedItem, knownFrom } from "./record.ts"
import { repeatAllowance } from "./repeats.ts"

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
  /** How much of the conversation the model still sees, without what is ours. */
  conversationTokens: number
  options: PackOptions & { budget: number }
  commitAfterFiles: number
  /** The task that the message may mean, as the model reads it. */
  hint?: string
}

/** What a new user message carries: the whole state, what changed, or nothing. Decided once and then frozen. */
export function decideInjection(input: DecideInput): Injection {
  const { state, head, message, visible } = input
  const prompt = scorePrompt(message.text, input.score)
  const unmet = unmetItems(state, head, input.commitAfterFiles, input.options.stamp)
  let allowance = repeatAllowance(visible, input.conversationTokens)
  const reminder = reminderFor(unmet, visible, allowance)
  allowance -= reminder.repeated
  const line = prompt.isShort ? flowLine(state, head) : ""
  // All parts share one budget.
  const cost = (text: string) => countTokens(text, input.options.vocabulary)
  const hint = input.hint ?? ""
  const budget = input.options.budget - cost(reminder.text) - cost(line) - cost(hint)
  const options = { ...input.options, budget, whole: input.options.budget }
  const since = sinceKeyframe(visible)
  const gathered = gatherItems(state, head, options)
  const delta = since.length === 0 ? undefined : packDelta(state, head, knownFrom(since), options, gathered)
  const reason = keyframeReason({
    since,
    added: delta?.tokens ?? 0,
    budget,
    allowance,
    hasLongPrompts: prompt.needsKeyframe,
    isFirst: input.isFirst,
  })

  const packed =
    reason === null && delta !== undefined ? delta : { ...pack(state, head, options, gathered), gone: [] }
  // Whoever reads the head in this very message knows where the session is.
  const isPlaceSaid = packed.items.some(({ kind }) => kind === "head")
  const flow = isPlaceSaid || cost(line) > allowance ? "" : line
  const parts = [packed.xml, flow, hint, reminder.text].filter((part) => part !== "")

  return {
    message: message.id,
    at: new Date(options.now).toISOString(),
    kind: packed.xml === "" ? "none" : reason === null ? "delta" : "keyframe",
    parts,
    tokens: parts.reduce((sum, part) => sum + cost(part), 0),
    // What changed is new by itself.
    repeated: (reason === null ? 0 : repeatedIn(packed, visible)) + cost(flow) + reminder.repeated,
    budget: input.options.budget,
    items: packed.items.map(injectedItem),
    gone: packed.gone,
    dropped: packed.dropped,
    reason: reason ?? (packed.xml === "" ? "nothing changed" : "what changed since the last message"),
    score: prompt.needsKeyframe && reason !== null ? 0 : prompt.score,
    pruned: [],
  }
}

interface KeyframeCase {
  /** The last keyframe that the model still sees, and what came after it. */
  since: readonly Injection[]
  /** What changed now, in tokens. */
  added: number
  budget: number
  allowance: number
  hasLongPrompts: boolean
  isFirst: boolean
}

/** Why the whole state is said; null where it is not. What is in sight is said again only where that costs little. */
function keyframeReason({ since, added, budget, allowance, ...why }: KeyframeCase): string | null {
  const [keyframe, ...deltas] = since
  if (keyframe === undefined)
    return why.isFirst ? "the first message of the session" : "the last full state is out of sight"
  const spent = deltas.reduce((sum, { tokens, repeated }) => sum + tokens - repeated, 0) + added
  if (Math.min(keyframe.tokens + spent, budget) > allowance) return null
  if (why.hasLongPrompts) return "long prompts have added up"
  return spent > keyframe.tokens ? "the changes since the last full state outweigh it" : null
}

function repeatedIn({ items }: Pick<Block, "items">, visible: readonly Injection[]): number {
  const known = knownFrom(visible)
  const again = items.filter((item) => known.get(keyOf(item))?.hash === injectedItem(item).hash)
  return again.reduce((sum, { tokens }) => sum + tokens, 0)
}

function sinceKeyframe(visible: readonly Injection[]): readonly Injection[] {
  const last = visible.findLastIndex(({ kind }) => kind === "keyframe")
  return last < 0 ? [] : visible.slice(last)
}
