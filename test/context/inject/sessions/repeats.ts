import { countTokens } from "../../../../src/shared/text/tokens.ts"
import { type HostMessage, type Prompt, textOfPart } from "./scripted-session.ts"

/** Shares of what the model is sent, from 0 to 1. The prompt is the conversation alone, without the host's system prompt and tools. */
export interface Repeats {
  /** Repeated text, of the prompt: over all turns, and on the worst one. */
  ofPrompts: number
  worst: number
  /** Repeated text, of the injected text. */
  ofInjected: number
  /** Repeated whole states, of the prompt. */
  wholeStates: number
  /** Injected text, of the last prompt; and of the whole request, with system prompt and tools. */
  oursAtEnd: number
  oursOfRequest: number
  /** The smallest share of a request that the next one begins with, compactions left out. */
  prefix: number
}

export function measureRepeats({ prompts, requests }: { prompts: Prompt[]; requests: Prompt[] }): Repeats {
  const each = prompts.map(weigh)
  const sum = (of: (weights: Weights) => number) => each.reduce((total, weights) => total + of(weights), 0)
  const whole = sum(({ prompt }) => prompt)
  const last = each.at(-1)
  return {
    ofPrompts: sum(({ repeated }) => repeated) / whole,
    worst: Math.max(...each.map(({ repeated, prompt }) => repeated / prompt)),
    ofInjected: sum(({ repeated }) => repeated) / sum(({ ours }) => ours),
    wholeStates: sum(({ states }) => states) / whole,
    oursAtEnd: (last?.ours ?? 0) / (last?.prompt ?? 1),
    oursOfRequest: (last?.ours ?? 0) / ((last?.prompt ?? 1) + AROUND_TOKENS),
    prefix: leastPrefix(requests),
  }
}

interface Weights {
  prompt: number
  ours: number
  repeated: number
  states: number
}

/** In tokens. A line of ours is a repeat where an earlier one in the same prompt was about the same and said the same of it. */
function weigh(prompt: Prompt): Weights {
  const said = new Set<string>()
  const weights = { prompt: 0, ours: 0, repeated: 0, states: 0 }
  let states = 0
  for (const { info, parts } of prompt) {
    for (const part of parts) {
      const text = textOfPart(part)
      const tokens = tokensOf(text)
      weights.prompt += tokens
      const isOurs = part.id.startsWith("prt_hivemind_")
      if (!isOurs) continue
      weights.ours += tokens
      if (text.startsWith("<hivemind_state") && states++ > 0) weights.states += tokens
      for (const line of text.split("\n")) {
        const about = aboutOf(line)
        if (said.has(about)) weights.repeated += tokensOf(line)
        said.add(about)
      }
      if (info.role !== "user") throw new Error("ours stands in an answer")
    }
  }
  return weights
}

/** An element with an id says the same if its attributes do, however much of its text is shown. */
function aboutOf(line: string): string {
  return /^<\w+ (?:\w+="[^"]*" )*(?:id|key|on)="[^>]*>/.exec(line)?.[0] ?? line
}

function leastPrefix(requests: Prompt[]): number {
  let least = 1
  for (const [at, request] of requests.entries()) {
    const before = requests[at - 1]
    // A compaction or a revert begins a conversation of its own, for the host alone too.
    if (before === undefined || !continues(before, request)) continue
    const text = request.map(written).join("\n")
    const old = before.map(written).join("\n")
    if (!text.startsWith(old)) least = Math.min(least, common(old, text) / old.length)
  }
  return least
}

function continues(before: Prompt, after: Prompt): boolean {
  return before.every(({ info }, n) => after[n]?.info.id === info.id)
}

function common(one: string, other: string): number {
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  return same
}

const written = ({ info, parts }: HostMessage): string => `${info.role}: ${parts.map(textOfPart).join("\n")}`

function tokensOf(text: string): number {
  const known = counted.get(text) ?? countTokens(text)
  counted.set(text, known)
  return known
}

// What OpenCode 1.18 sends around a conversation: 2,400 of its system prompt, 6,400 of its tools, 3,100 of ours.
const AROUND_TOKENS = 11_900
const counted = new Map<string, number>()
