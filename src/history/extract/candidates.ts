import { tellingCorrection } from "../../knowledge/extract/corrections.ts"
import { findRules } from "../../knowledge/rules/find-rules.ts"
import { isTelling } from "../../knowledge/rules/same-subject.ts"
import { shorten } from "../../shared/text/clean.ts"
import { ownSentences } from "../../shared/text/corrections.ts"
import type { SayStep, Step, UserStep } from "../read/step.ts"

/** A statement in a session that may become a record, if other sessions and the project do not contradict it. */
export interface Candidate {
  kind: CandidateKind
  text: string
  /** The words of the session that `text` was made from. */
  quote: string
  by: "user" | "agent"
  ids: readonly string[]
  at: string
  files: readonly string[]
  /** 0 to 10: how likely the statement is true and useful. */
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

export function candidateFrom(
  { what, ids, at }: Pick<Step, "ids" | "at"> & { what?: Step["what"] },
  given: Pick<Candidate, "kind" | "text" | "worth"> & Partial<Candidate>,
): Candidate {
  return { quote: given.text, by: what === "user" ? "user" : "agent", ids, at, files: [], ...given }
}

/** The sentences of a Markdown text, without code blocks, tables and headings. */
function plainSentences(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?(```|$)/g, "\n")
    .split("\n")
    .filter((line) => !/^\s*(\||#{1,6} |>|[-=*_]{3,}\s*$)/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, "").replaceAll(/\*\*|__/g, ""))
    .flatMap((line) => line.split(/(?<=[.!?])\s+(?=[\p{Lu}`"'(])|(?<=[。！？])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
}

/** The sentence at `at`, with the one before it if a pronoun refers to that, and later ones while the text is short. */
function passageFrom(sentences: readonly string[], at: number, maxChars: number): string {
  let passage = sentences[at] ?? ""
  const before = sentences[at - 1] ?? ""
  // Before "It only supports `token`", another sentence says what "it" is, so both are taken.
  if (REFERS_BACK.test(passage) && before !== "" && !/[?:]$/.test(before) && !OWN_STEP.test(before))
    passage = `${before} ${passage}`
  for (const sentence of sentences.slice(at + 1, at + MAX_SENTENCES)) {
    const isComplete = passage.length >= ENOUGH_CHARS && !passage.endsWith(":")
    if (isComplete || OWN_STEP.test(sentence) || sentence.endsWith("?")) break
    if (passage.length + sentence.length > maxChars) break
    passage += ` ${sentence}`
  }
  return passage
}

/** Matches announcements of the agent's next step, which are not facts about the project. */
const OWN_STEP =
  /^(?:(?:now|next|first|ok(?:ay)?|good|great|perfect|so),? )?(?:let me|let's|i'll|i will|i'm going to|i need to|i should|now i|do you want|would you|shall i|want me to|should i)\b/i
const REFERS_BACK = /^(?:(?:so|but|and|however|which means),? )*(?:it|this|that|these|those|they|there)\b/i
const MAX_SENTENCES = 6
const ENOUGH_CHARS = 160

export function candidatesHeard(
  step: UserStep,
  asked: string,
): { found: Candidate[]; ended: readonly string[] } {
  const { certain, ended } = findRules(step.text, step)
  const found: Candidate[] = []
  const sentences = ownSentences(step.text, LIMITS)
  const add = (kind: Candidate["kind"], sentence: string, worth: number) => {
    if (found.some(({ quote }) => quote.includes(sentence) || sentence.includes(quote))) return
    const text = kind === "rule" ? sentence : inContext(sentence, sentences, asked)
    const short = { text: shorten(text, MAX_USER_CHARS), quote: shorten(sentence, MAX_USER_CHARS) }
    found.push(candidateFrom(step, { kind, worth, ...short }))
  }
  for (const sentence of certain) add("rule", sentence, 10)
  for (const sentence of sentences) {
    if (ended.some((each) => sentence.includes(each))) continue
    if (
      /\?\W*$/.test(sentence) ||
      sentence.length > MAX_USER_CHARS ||
      !isTelling(sentence) ||
      ONCE.test(sentence)
    )
      continue
    const hasReason = USER_REASON.test(sentence)
    if (STANDING.test(sentence)) add("correction", sentence, hasReason ? 8 : 7)
    else if (DECIDES.test(sentence) && OWN_WORDS.test(sentence)) add("decision", sentence, hasReason ? 8 : 5)
    else if (TELLS_FACT.test(sentence)) add("correction", sentence, hasReason ? 7 : 6)
  }
  const correction = tellingCorrection(step.text, step)
  if (correction !== undefined && !correction.endsWith("?") && !ONCE.test(correction))
    add("correction", correction, step.rejectsCall || USER_REASON.test(correction) ? 6 : 5)
  return { found, ended }
}

/** Extends a short sentence by another one of its message or, if there is none, by the user's message before (`asked`). */
function inContext(sentence: string, sentences: readonly string[], asked: string): string {
  if (sentence.length >= CLEAR_CHARS) return sentence
  const other = sentences.find((each) => !sentence.includes(each) && !each.includes(sentence)) ?? asked
  const about = shorten(other, MAX_CONTEXT_CHARS)
  return about.length < MIN_CONTEXT_CHARS ? sentence : `${sentence} (about: "${about}")`
}

/** Matches instructions that apply in general: "please don't amend commits", "remember to use pagination". */
const STANDING =
  /^(?:(?:and|oh|also|but|ok(?:ay)?|yeah|yes|please),? )*(?:(?:please )?(?:don't|do not|never|avoid) (?!know|think|worry|have|see|understand|forget|hesitate|need|do (?:this|that|it) (?:now|yet))\w+|(?:please )?remember (?:to|that|also)|(?:it )?(?:doesn't|does not) make sense to|in this (?:repo|project|codebase)|make sure|keep (?:our|the|all|your) \w+|we (?:don't|do not|only|should|shouldn't|must|always|never|want to|need to) (?!be able|know|see|check|find|look))\b/i
const DECIDES =
  /\b(?:let's (?:use|keep|go|make|not|drop|abandon|stick|switch|call|move|only|put)|i(?:'d| would)? (?:like|prefer|want|don't want|do not want|rather)\b(?! to (?:talk|see|know|understand|ask|discuss|look|check))|we(?:'ll| will| could| can)? (?:use|go with|keep|drop|decided)|should (?:be|use|only|not|go|stay|live)|instead of|rather than|only the)\b/i
const TELLS_FACT =
  /\b(?:in favou?r of|deprecated|phased out|no longer|(?:is|are|does|do)(?:n't| not) (?:supported|correct|needed|used)|only (?:works|fires|runs|happens)|because)\b/i
const USER_REASON =
  /\b(?:because|since|so that|otherwise|as (?:it|they|we|this|that)|to avoid|which (?:would|breaks|hid|makes))\b| - \w| -> /i
/** Matches sentences in the user's own words. Output that a user pasted rarely has one of these words. */
const OWN_WORDS = /^(?!if\b)(?=.{20}).*\b(?:i|i'd|we|we'll|you|let's|should|must|please|don't|only)\b/i
/** Matches instructions for one occasion. */
const ONCE =
  /\b(?:wait|pause|discuss|continue|let me|can you|could you|this (?:pr|commit|time|branch|session)|for now|right now|(?:option|approach) (?:\d|[a-d])|would be (?:great|nice|good)|taking a step back|right\?)\b|^(?:now|next|then|commit|push|run|check|look)\b/i
const LIMITS = { maxChars: 4000, maxSentences: 20 }
const MAX_USER_CHARS = 400
const CLEAR_CHARS = 70
const MIN_CONTEXT_CHARS = 12
const MAX_CONTEXT_CHARS = 120

/** The last cause, the last dead end and the last choice in an agent's text: later statements are conclusions. */
export function candidatesSaid(step: SayStep): Candidate[] {
  const sentences = plainSentences(step.text.slice(0, MAX_READ_CHARS))
  const found = new Map<string, Candidate>()
  for (const [at, sentence] of sentences.entries()) {
    const kind = kindOf(sentence)
    if (kind === undefined) continue
    const text = passageFrom(sentences, at, MAX_AGENT_CHARS).replace(ANNOUNCED, "")
    if (text.length < MIN_CHARS || text.endsWith(":") || REFERS.test(text)) continue
    // "So our current approach won't work" does not say which approach, so it is skipped.
    if (!CODE.test(text) && (VAGUE.test(sentence) || text.length < MIN_PLAIN_CHARS)) continue
    const worth = WORTH[kind] + Number(CODE.test(text)) + Number(SURE.test(sentence))
    found.set(kind, candidateFrom(step, { kind, text, worth }))
  }
  return [...found.values()]
}

function kindOf(sentence: string): "failed" | "cause" | "decision" | undefined {
  if (sentence.endsWith("?") || IF.test(sentence)) return undefined
  if (FAILED.some((cue) => cue.test(sentence)) && !HEDGED.test(sentence)) return "failed"
  if (OWN_STEP.test(sentence)) return CHOICE.test(sentence) ? "decision" : undefined
  if (CAUSE.some((cue) => cue.test(sentence)) && !HEDGED.test(sentence)) return "cause"
  return CHOICE.test(sentence) && AGENT_REASON.test(sentence) && !HEDGED.test(sentence)
    ? "decision"
    : undefined
}

export function outcomeSaid(step: SayStep): Candidate | undefined {
  const sentences = plainSentences(step.text)
  const at = sentences.findIndex((sentence) => DONE.test(sentence))
  const text = at < 0 || at > 3 ? "" : passageFrom(sentences, at, MAX_AGENT_CHARS)
  if (text.length < MIN_CHARS || !CODE.test(text)) return undefined
  return candidateFrom(step, { kind: "outcome", text, worth: 3 })
}

const CAUSE: readonly RegExp[] = [
  /\b(?:the|an?|actual|real|root|underlying) (?:actual |real |root |underlying |core |main |only )?(?:issue|problem|bug|cause|culprit|reason|fault|error|failure|gap|mistake)\b[^.]{0,80}\b(?:is|was|were|are|comes from|lies in|=)\b/i,
  /^(?:found (?:it|the (?:\w+ )?(?:issue|problem|bug|cause|culprit))|root cause)\b/i,
  /\b(?:i (?:can )?(?:now )?(?:see|found|find|have found|'ve found)|i've found) the (?:\w+ )?(?:issue|problem|bug|cause|culprit)\b/i,
  /\b(?:turns out|this (?:is|happens|happened|fails|failed|was)|it (?:fails|failed|happens|happened)) (?:\w+ )?because\b/i,
  /\bit turns out\b|\bcaused by\b|\bbecause of (?:a|the) (?:bug|race|typo)\b/i,
]
const FAILED: readonly RegExp[] = [
  /\bmisdiagnos\w+|\b(?:i was|that was|my (?:\w+ )?(?:guess|assumption|theory|diagnosis|hypothesis) was) wrong\b|\bi made (?:that|it|this) up\b/i,
  /\b(?:doesn't|does not|didn't|did not|won't|will not|can't|cannot) (?:actually |really |natively )?(?:work|support|help|expose|accept|allow)\b/i,
  /\b(?:is|are|was|were)(?:n't| not) (?:actually |really )?(?:possible|supported|available|the (?:problem|cause|issue|culprit|reason))\b/i,
  /\b(?:has|have|there is|there's) no (?:\w+ )?(?:option|setting|parameter|flag|support|api|way to|such)\b|\bonly supports?\b/i,
]
const CHOICE =
  /\b(?:instead of|rather than|over the|in favou?r of)\b|\b(?:went|go|going) with\b|\b(?:chose|decided (?:to|on|against))\b/i
const AGENT_REASON =
  /\b(?:because|since|so that|as it|as they|to avoid|otherwise|which (?:would|means|avoids|keeps))\b|[—:;] /i
const HEDGED =
  /\b(?:likely|probably|maybe|perhaps|might|may be|could be|seems?|appears?|i think|i suspect|i believe|possibly|let me|to verify|suspected|would be)\b/i
const IF = /^(?:if|when|whether|unless|once|does|is|are)\b/i
const DONE =
  /^(?:all |everything |both )?(?:done|completed?|fixed|updated|added|created|removed|implemented|all (?:tests|checks)|the (?:fix|change|update|migration|refactor\w*) (?:is|was|works)|i(?:'ve| have) (?:\w+ ){0,2}(?:added|fixed|updated|created|removed|implemented|changed|moved|replaced)|summary|key changes?)\b/i
const ANNOUNCED =
  /^(?:(?:found (?:it|the [^.!:]*)|(?:now )?i (?:can )?(?:now )?(?:see|found|understand|have found) the [^.!:]*|i've found the [^.!:]*|the (?:issue|problem) is clear(?: now)?)[.!:]+ *)+/i
const REFERS =
  /\bwe(?:'ve)? (?:just )?(?:fixed|discussed|saw)\b|\b(?:mentioned|described|as i said) (?:above|earlier|before)\b/i
const CODE = /`[^`]+`|\b\w+\.\w{1,4}\b|\w_\w|\b[a-z]+[A-Z]\w+/
const VAGUE = /\b(?:our|my|the) (?:current|first|last|previous|other) (?:approach|fix|idea|change|attempt)\b/i
const SURE = /\b(?:actual|real|root|confirmed)\b/i
const WORTH = { failed: 5, cause: 4, decision: 3 } as const
const MAX_READ_CHARS = 8000
const MIN_CHARS = 40
const MIN_PLAIN_CHARS = 70
const MAX_AGENT_CHARS = 420
