import type { Pressure } from "../../graph/pressure.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { escapeXml } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"

/** A message of a conversation. All answers to one message count as one. */
export interface Spoken {
  role: "user" | "assistant"
  text: string
  did: readonly string[]
}

export function handoffText(block: string, spoken: readonly Spoken[], budget = TAIL_TOKENS): string {
  const said = spoken.filter(({ text }) => text.trim() !== SPLIT_REQUEST)
  const told: string[] = []
  let left = budget
  // Secrets are masked before the final cut, because half a secret could not be recognised.
  const masked = maskAll(said.slice(-KEPT_MESSAGES).map((each) => bounded(each, 2)))
  for (const each of masked.map((more) => bounded(more, 1)).toReversed()) {
    const most = Math.min(left, MESSAGE_TOKENS[each.role])
    if (most < LEAST_TOKENS) break
    const text = tell(each, most)
    told.unshift(text)
    left -= countTokens(text)
  }
  return [
    "<handoff>",
    "This session continues the work of another session, with an empty context window. The current state:",
    block,
    "<last_messages>",
    ...told,
    "</last_messages>",
    "</handoff>",
  ].join("\n")
}

/** Cuts a message roughly, so that megabytes are neither searched for secrets nor counted. */
function bounded({ role, text, did, earlier = 0 }: Spoken & Partial<Bounded>, times: 1 | 2): Bounded {
  const most = MESSAGE_TOKENS[role] * MOST_CHARS * times
  return {
    role,
    text: text.length > 2 * most ? ends(text, most) : text,
    did: did.slice(-MAX_DID).map((line) => line.slice(0, DID_TOKENS * MOST_CHARS * times)),
    earlier: earlier + Math.max(did.length - MAX_DID, 0),
  }
}

interface Bounded extends Spoken {
  earlier: number
}

export function handoffLine(pressure: Pressure | undefined): string {
  const share = Math.round((pressure?.share ?? 0) * 100)
  const full = share < WORTH_SAYING ? "" : ` (the context window was ${share} % full)`
  return `HiveMind: the work continues in this session${full}. It has the plan, the task, the memories and the last messages.`
}

function tell({ role, text, did, earlier }: Bounded, budget: number): string {
  const shown = did.slice(Math.max(0, did.length - Math.floor(budget / 2 / (DID_TOKENS + TAG_TOKENS))))
  const unseen = earlier + did.length - shown.length
  const more = unseen > 0 ? [`<did>${unseen} calls before</did>`] : []
  const calls = [...more, ...shown.map((line) => `<did>${escapeXml(cut(line, DID_TOKENS))}</did>`)].join("\n")
  const rest = Math.max(budget - countTokens(calls) - TAG_TOKENS, LEAST_TOKENS)
  const lines = [escapeXml(cut(text.trim(), rest)), ...(calls === "" ? [] : [calls, ""])]
  return `<${role}>${lines.join("\n")}</${role}>`
}

/** Cuts out the middle of a text: the question is mostly at the beginning, the result at the end. */
function cut(text: string, budget: number): string {
  let half = text.length
  let short = text
  for (let tokens = countTokens(text); tokens > budget && half > 0; tokens = countTokens(short)) {
    half = Math.floor(Math.min(half, short.length / 2) * Math.min(0.8, budget / tokens))
    short = ends(text, half)
  }
  return short
}

function ends(text: string, half: number): string {
  return `${text.slice(0, half)} […] ${text.slice(text.length - half)}`
}

export const SPLIT_REQUEST =
  "HiveMind moves this work to a fresh session as soon as you have answered. Call no tool; answer with one line: what comes next."

const WORTH_SAYING = 50
const KEPT_MESSAGES = 6
const TAIL_TOKENS = 4000
const MESSAGE_TOKENS = { user: 1500, assistant: 1000 }
const LEAST_TOKENS = 60
const TAG_TOKENS = 20
const DID_TOKENS = 60
const MAX_DID = 12
// The most characters of a token, in any language.
const MOST_CHARS = 8
