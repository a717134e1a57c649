/** A possible record of a session, before it is compared with other sessions and with today's project. */
export interface Candidate {
  kind: CandidateKind
  /** The text of the record. */
  text: string
  /** The words that it was taken from. */
  quote: string
  by: "user" | "agent"
  /** The agent's ids of the messages. */
  ids: readonly string[]
  at: string
  branch: string | null
  /** Files it is about, as the agent named them. */
  files: readonly string[]
  /** 0 to 10: how sure that it is true and worth knowing. */
  worth: number
}

type CandidateKind =
  | "rule"
  | "correction"
  | "decision"
  | "failed"
  | "cause"
  | "outcome"
  | "command"
  | "open"
  | "together"

/** Sentences of a text in Markdown, without code blocks, tables and headings. */
export function plainSentences(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?(```|$)/g, "\n")
    .split("\n")
    .filter((line) => !/^\s*(\||#{1,6} |>|[-=*_]{3,}\s*$)/.test(line))
    .map((line) =>
      line
        .replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, "")
        .replaceAll(/\*\*|__/g, "")
        .trim(),
    )
    .flatMap((line) => line.split(/(?<=[.!?])\s+(?=[\p{Lu}`"'(])|(?<=[。！？])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
}

/** A sentence, with those after it where it says little by itself. */
export function passageFrom(sentences: readonly string[], at: number, maxChars: number): string {
  let passage = sentences[at] ?? ""
  const before = sentences[at - 1] ?? ""
  // "It only supports `token`": what "it" is stands in the sentence before.
  if (REFERS_BACK.test(passage) && before !== "" && !/[?:]$/.test(before) && !OWN_STEP.test(before))
    passage = `${before} ${passage}`
  for (let next = at + 1; next < Math.min(sentences.length, at + MAX_SENTENCES); next++) {
    const isComplete = passage.length >= ENOUGH_CHARS && !passage.endsWith(":")
    const sentence = sentences[next] ?? ""
    if (isComplete || OWN_STEP.test(sentence) || sentence.endsWith("?")) break
    if (passage.length + sentence.length > maxChars) break
    passage += ` ${sentence}`
  }
  return passage
}

/** The agent's announcement of its next step, which is no fact about the project. */
export const OWN_STEP =
  /^(?:(?:now|next|first|ok(?:ay)?|good|great|perfect|so),? )?(?:let me|let's|i'll|i will|i'm going to|i need to|i should|now i|do you want|would you|shall i|want me to|should i)\b/i
const REFERS_BACK = /^(?:(?:so|but|and|however|which means),? )*(?:it|this|that|these|those|they|there)\b/i
const MAX_SENTENCES = 6
const ENOUGH_CHARS = 160
