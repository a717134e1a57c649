import { compare } from "../../graph/by-age.ts"
import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import { placeOf } from "../../graph/place.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { merge } from "../../shared/sorting.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { packDelta } from "../pack/delta.ts"
import type { Block } from "../pack/fit-block.ts"
import { keyOf } from "../pack/item.ts"
import { gatherItems, type PackOptions, pack } from "../pack/pack.ts"
import { type Injection, injectedItem, knownFrom } from "./record.ts"

export interface DecideInput {
  state: GraphState
  head: Trajectory | undefined
  message: { id: string; text: string }
  /** Earlier injections that are still in the model's context, oldest first. */
  visible: readonly Injection[]
  isFirst: boolean
  score: number
  /** The visible conversation's tokens, without HiveMind's parts. */
  conversationTokens: number
  options: PackOptions & { budget: number }
  commitAfterFiles: number
  maxBytes?: number | undefined
  hint?: string
}

/** Decides whether a new message gets the whole state, the changes or nothing. Packs less if the host's limit is exceeded. */
export function decideInjection(input: DecideInput): Injection {
  const { maxBytes } = input
  const injection = decideOnce(input)
  if (maxBytes === undefined) return injection
  const bytes = Buffer.byteLength(injection.parts.join(PART_BREAK))
  const { budget } = input.options
  if (bytes <= maxBytes || budget < SMALLEST_BUDGET) return injection
  const smaller = Math.floor((Math.min(budget, injection.tokens) * maxBytes * SAFETY) / bytes)
  return decideInjection({ ...input, options: { ...input.options, budget: smaller } })
}

function decideOnce(input: DecideInput): Injection {
  const { state, head, message, visible, hint = "" } = input
  const cost = (text: string) => countTokens(text, input.options.vocabulary)
  const prompt = scorePrompt(message.text, input.score)
  const unmet = unmetItems(state, head, input.commitAfterFiles, input.options.stamp)
  const repeated = visible.reduce((sum, each) => sum + each.repeated, 0)
  let allowance = Math.floor(input.conversationTokens * REPEAT_SHARE) - repeated
  const reminder = reminderFor(unmet, visible, allowance)
  allowance -= reminder.repeated
  const line = prompt.isShort ? flowLine(state, head) : ""
  const budget = input.options.budget - cost(reminder.text) - cost(line) - cost(hint)
  const options = { ...input.options, message: message.text, budget, whole: input.options.budget }
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
  const hasHead = packed.items.some(({ kind }) => kind === "head")
  const flow = hasHead || cost(line) > allowance ? "" : line
  const parts = [packed.xml, flow, hint, reminder.text].filter((part) => part !== "")
  return {
    message: message.id,
    at: new Date(options.now).toISOString(),
    kind: packed.xml === "" ? "none" : reason === null ? "delta" : "keyframe",
    parts,
    tokens: parts.reduce((sum, part) => sum + cost(part), 0),
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
  since: readonly Injection[]
  added: number
  budget: number
  allowance: number
  hasLongPrompts: boolean
  isFirst: boolean
}

/** Why the whole state is sent; null if it is not. While the last one is visible, the repeated tokens must fit in `allowance`. */
function keyframeReason({ since, added, budget, allowance, ...why }: KeyframeCase): string | null {
  const [keyframe, ...deltas] = since
  if (keyframe === undefined)
    return why.isFirst ? "the first message of the session" : "the model no longer sees the last full state"
  const spent = deltas.reduce((sum, { tokens, repeated }) => sum + tokens - repeated, 0) + added
  if (Math.min(keyframe.tokens + spent, budget) > allowance) return null
  if (why.hasLongPrompts) return "long prompts have added up"
  return spent > keyframe.tokens ? "the changes since the last full state are larger than that state" : null
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

/** Long prompts draw attention away from the last full state: at `KEYFRAME_SCORE` a new one is due. */
export function scorePrompt(
  text: string,
  before: number,
): { isShort: boolean; score: number; needsKeyframe: boolean } {
  const words = text.split(/\s+/).filter(Boolean).length
  const decayed = before * DECAY_PER_PROMPT
  if (words < SHORT_WORDS) return { isShort: true, score: decayed, needsKeyframe: false }
  const added = words > LONG_WORDS ? Math.min(MAX_ADDED, words - LONG_WORDS) : 0
  const score = Math.min(KEYFRAME_SCORE, decayed + added)
  return { isShort: false, score, needsKeyframe: score >= KEYFRAME_SCORE }
}

/** The line that says where the session is in its plan, for a short prompt such as "go on". */
function flowLine(state: GraphState, head: Trajectory | undefined): string {
  const { plan, phase, tasks } = placeOf(state, head)
  const task = tasks[0]
  const titles = [plan?.title, phase?.inbox ? undefined : phase?.title, task?.title].filter(
    (title) => title !== undefined,
  )
  if (titles.length === 0) return ""
  const where = titles.map((title) => shorten(title, 60)).join(" › ")
  return element("flow", { task: task && shortId(task.id), status: task?.status }, where)
}

const PART_BREAK = "\n\n"
// Repeated text may make up at most this share of the conversation.
const REPEAT_SHARE = 0.03
// With a smaller budget nothing worth sending would fit. The host's adapter then cuts the text at its limit.
const SMALLEST_BUDGET = 300
// The new budget is lowered by this factor, because a smaller selection of items may have more bytes per token.
const SAFETY = 0.95
const SHORT_WORDS = 20
const LONG_WORDS = 30
const MAX_ADDED = 60
const DECAY_PER_PROMPT = 0.9
const KEYFRAME_SCORE = 100

export function unmetItems(
  state: GraphState,
  head: Trajectory | undefined,
  commitAfterFiles: number,
  stamp: string | undefined,
): string[] {
  const unmet: string[] = []
  const ids = new Set(head?.active_task_ids ?? [])
  const checkpointsOf = (id: string) => state.checkpoint.by("task_id", id)
  for (const id of ids) {
    const task = state.task.get(id)
    if (task === undefined || !isTaskUnderWay(task)) continue
    const say = (text: string) => unmet.push(element("unmet", { task: shortId(id) }, text))
    if (checkpointsOf(id).size === 0 && task.evidence === null)
      say(`no evidence yet for: ${shorten(task.title, 80)}`)
    // Files changed since the last run of tests or a build; type checks and linters count as builds.
    const untested = filesSince(checkpointsOf(id).backwards(), ({ did }) =>
      did.some((each) => each !== "commit"),
    )
    const check = task.verify === null ? "a test run" : `\`${shorten(task.verify, 60)}\``
    if (untested.size > 0) say(`${untested.size} changed file(s) without ${check} since`)
  }
  const checkpoints = Array.from(ids, (id) => checkpointsOf(id).backwards())
  const newestFirst = merge(checkpoints, (a, b) => compare(b.created_at, a.created_at))
  const uncommitted = filesSince(newestFirst, ({ did }) => did.includes("commit"))
  if (uncommitted.size >= commitAfterFiles) {
    const hint = stamp === undefined ? "" : `; put [${stamp}] in the message`
    unmet.push(element("unmet", {}, `${uncommitted.size} files changed since the last commit${hint}`))
  }
  return unmet
}

/** The reminder of open work: sent if it has changed since the last one, and repeated only within the allowance. */
function reminderFor(
  unmet: readonly string[],
  visible: readonly Pick<Injection, "parts">[],
  allowance: number,
): { text: string; repeated: number } {
  const isReminder = (part: string) => part.startsWith(OPEN)
  const last = visible.findLast(({ parts }) => parts.some(isReminder))?.parts.find(isReminder) ?? ALL_MET
  const text = unmet.length === 0 ? ALL_MET : [OPEN, ...unmet, CLOSE].join("\n")
  if (text !== last) return { text, repeated: 0 }
  const repeated = countTokens(text)
  return text === ALL_MET || repeated > allowance ? { text: "", repeated: 0 } : { text, repeated }
}

/** Files written after the newest successful checkpoint that `isEnd` accepts. */
function filesSince(
  newestFirst: Iterable<Checkpoint>,
  isEnd: (checkpoint: Checkpoint) => boolean,
): Set<string> {
  const files = new Set<string>()
  for (const checkpoint of first(MAX_CHECKPOINTS, newestFirst)) {
    if (checkpoint.ok && isEnd(checkpoint)) break
    for (const path of checkpoint.files) files.add(path)
  }
  return files
}

const OPEN = "<before_you_stop>"
const CLOSE = "</before_you_stop>"
const ALL_MET = `${OPEN}nothing any more${CLOSE}`
const MAX_CHECKPOINTS = 5000
