import { tellingCorrection } from "../../knowledge/extract/corrections.ts"
import { findRules } from "../../knowledge/rules/find-rules.ts"
import { isTelling } from "../../knowledge/rules/same-subject.ts"
import { shorten } from "../../shared/text/clean.ts"
import { ownSentences } from "../../shared/text/corrections.ts"
import type { UserStep } from "../read/step.ts"
import { pick } from "./agent-says.ts"
import { type Candidate, plainSentences } from "./candidate.ts"

export interface Heard {
  found: Candidate[]
  /** Rules that the user ended. */
  ended: readonly string[]
}

/** Finds in a user's message what later sessions need: rules, corrections, decisions, facts about the project. */
export function candidatesHeard(step: UserStep, before: { asked: string; said: string }): Heard {
  const { certain, ended } = findRules(step.text, step)
  const found: Candidate[] = []
  const add = (kind: Candidate["kind"], text: string, worth: number, quote = text) => {
    const isKnown = found.some((each) => each.quote.includes(quote) || quote.includes(each.quote))
    if (!isKnown)
      found.push({
        kind,
        text: shorten(text, MAX_CHARS),
        quote: shorten(quote, MAX_CHARS),
        by: "user",
        files: [],
        worth,
        ...pick(step),
      })
  }
  for (const sentence of certain) add("rule", sentence, 10)
  const sentences = ownSentences(step.text, LIMITS)
  const option = chosenOption(sentences, before.said)
  if (option !== undefined) add("decision", option.text, 8, option.quote)
  for (const sentence of sentences) {
    if (ended.some((each) => sentence.includes(each))) continue
    if (/\?\W*$/.test(sentence) || sentence.length > MAX_CHARS || !isTelling(sentence) || ONCE.test(sentence))
      continue
    const hasReason = REASON.test(sentence)
    const text = inContext(sentence, sentences, before.asked)
    if (STANDING.test(sentence)) add("correction", text, hasReason ? 8 : 7, sentence)
    else if (DECIDES.test(sentence) && OWN_WORDS.test(sentence))
      add("decision", text, hasReason ? 8 : 5, sentence)
    else if (TELLS_FACT.test(sentence)) add("correction", text, hasReason ? 7 : 6, sentence)
  }
  const correction = tellingCorrection(step.text, step)
  if (correction !== undefined && !correction.endsWith("?") && !ONCE.test(correction))
    add(
      "correction",
      inContext(correction, sentences, before.asked),
      step.rejectsCall || REASON.test(correction) ? 6 : 5,
      correction,
    )
  return { found, ended }
}

/** A few words say little without what they answer. */
function inContext(sentence: string, sentences: readonly string[], asked: string): string {
  if (sentence.length >= CLEAR_CHARS) return sentence
  const other =
    sentences.find((each) => !sentence.includes(each) && !each.includes(sentence)) ??
    shorten(asked, MAX_CONTEXT_CHARS)
  return other.length < MIN_CONTEXT_CHARS
    ? sentence
    : `${sentence} (about: "${shorten(other, MAX_CONTEXT_CHARS)}")`
}

/** "I like option 2": what the agent had called so. */
function chosenOption(
  sentences: readonly string[],
  before: string,
): { text: string; quote: string } | undefined {
  for (const sentence of sentences) {
    const [, name = "", number = ""] =
      /^(?:\W*(?:yes|yeah|ok|let's|i)\b[^.?]{0,30})?\b(option|approach|solution|variant) (\d|[a-d])\b/i.exec(
        sentence,
      ) ?? []
    if (number === "" || sentence.includes("?")) continue
    const options = plainSentences(before.replaceAll(/^#{1,6} /gm, ""))
    const offered = options.find((each) => new RegExp(`^\\W*${name} ${number}\\b`, "i").test(each))
    if (offered !== undefined)
      return { text: `${offered} (chosen: "${shorten(sentence, 160)}")`, quote: sentence }
  }
  return undefined
}

/** For every time, if not in the words of a rule: "please don't amend commits", "remember to use pagination". */
const STANDING =
  /^(?:(?:and|oh|also|but|ok(?:ay)?|yeah|yes|please),? )*(?:(?:please )?(?:don't|do not|never|avoid) (?!know|think|worry|have|see|understand|forget|hesitate|need|do (?:this|that|it) (?:now|yet))\w+|(?:please )?remember (?:to|that|also)|(?:it )?(?:doesn't|does not) make sense to|in this (?:repo|project|codebase)|make sure|keep (?:our|the|all|your) \w+|we (?:don't|do not|only|should|shouldn't|must|always|never|want to|need to) (?!be able|know|see|check|find|look))\b/i
const DECIDES =
  /\b(?:let's (?:use|keep|go|make|not|drop|abandon|stick|switch|call|move|only|put)|i(?:'d| would)? (?:like|prefer|want|don't want|do not want|rather)\b(?! to (?:talk|see|know|understand|ask|discuss|look|check))|we(?:'ll| will| could| can)? (?:use|go with|keep|drop|decided)|should (?:be|use|only|not|go|stay|live)|instead of|rather than|only the)\b/i
const TELLS_FACT =
  /\b(?:in favou?r of|deprecated|phased out|no longer|(?:is|are|does|do)(?:n't| not) (?:supported|correct|needed|used)|only (?:works|fires|runs|happens)|because)\b/i
const REASON =
  /\b(?:because|since|so that|otherwise|as (?:it|they|we|this|that)|to avoid|which (?:would|breaks|hid|makes))\b| - \w| -> /i
/** Pasted text has none of these. */
const OWN_WORDS = /^(?!if\b)(?=.{20}).*\b(?:i|i'd|we|we'll|you|let's|should|must|please|don't|only)\b/i
/** Orders one thing now. */
const ONCE =
  /\b(?:wait|pause|discuss|continue|let me|can you|could you|this (?:pr|commit|time|branch|session)|for now|right now|would be (?:great|nice|good)|taking a step back|right\?)\b|^(?:now|next|then|commit|push|run|check|look)\b/i
const LIMITS = { maxChars: 4000, maxSentences: 20 }
const MAX_CHARS = 400
const CLEAR_CHARS = 70
const MIN_CONTEXT_CHARS = 12
const MAX_CONTEXT_CHARS = 120
