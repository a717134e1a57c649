import type { Step } from "../read/step.ts"
import { type Candidate, OWN_STEP, passageFrom, plainSentences } from "./candidate.ts"

/** Finds causes, dead ends and choices in an agent's text. */
export function candidatesSaid(step: Step & { what: "say" }): Candidate[] {
  const sentences = plainSentences(step.text.slice(0, MAX_READ_CHARS))
  const found: Candidate[] = []
  for (const [at, sentence] of sentences.entries()) {
    const kind = kindOf(sentence)
    if (kind === undefined) continue
    const text = passageFrom(sentences, at, MAX_CHARS).replace(ANNOUNCED, "")
    if (text.length < MIN_CHARS || text.endsWith(":") || REFERS.test(text)) continue
    // "So our current approach won't work": which one is not said.
    if (!CODE.test(text) && (VAGUE.test(sentence) || text.length < MIN_PLAIN_CHARS)) continue
    const worth = WORTH[kind] + (CODE.test(text) ? 1 : 0) + (SURE.test(sentence) ? 1 : 0)
    found.push({ kind, text, quote: text, by: "agent", files: [], worth, ...pick(step) })
  }
  // The last statement of a text is its conclusion.
  const last = (["failed", "cause", "decision"] as const).flatMap(
    (kind) => found.findLast((each) => each.kind === kind) ?? [],
  )
  return last
}

function kindOf(sentence: string): "failed" | "cause" | "decision" | undefined {
  if (sentence.endsWith("?") || IF.test(sentence)) return undefined
  if (FAILED.some((cue) => cue.test(sentence)) && !HEDGED.test(sentence)) return "failed"
  if (OWN_STEP.test(sentence)) return CHOICE.test(sentence) ? "decision" : undefined
  if (CAUSE.some((cue) => cue.test(sentence)) && !HEDGED.test(sentence)) return "cause"
  return CHOICE.test(sentence) && REASON.test(sentence) && !HEDGED.test(sentence) ? "decision" : undefined
}

/** The last text of a piece of work, where it says what was done. */
export function outcomeSaid(step: Step & { what: "say" }): Candidate | undefined {
  const sentences = plainSentences(step.text)
  const at = sentences.findIndex((sentence) => DONE.test(sentence))
  if (at < 0 || at > 3) return undefined
  const text = passageFrom(sentences, at, MAX_CHARS)
  return text.length < MIN_CHARS || !CODE.test(text)
    ? undefined
    : { kind: "outcome", text, quote: text, by: "agent", files: [], worth: 3, ...pick(step) }
}

export function pick({ ids, at, branch }: Step): Pick<Step, "ids" | "at" | "branch"> {
  return { ids, at, branch }
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
const REASON =
  /\b(?:because|since|so that|as it|as they|to avoid|otherwise|which (?:would|means|avoids|keeps))\b|[—:;] /i
const HEDGED =
  /\b(?:likely|probably|maybe|perhaps|might|may be|could be|seems?|appears?|i think|i suspect|i believe|possibly|let me|to verify|suspected|would be)\b/i
const IF = /^(?:if|when|whether|unless|once|does|is|are)\b/i
const DONE =
  /^(?:all |everything |both )?(?:done|completed?|fixed|updated|added|created|removed|implemented|all (?:tests|checks)|the (?:fix|change|update|migration|refactor\w*) (?:is|was|works)|i(?:'ve| have) (?:\w+ ){0,2}(?:added|fixed|updated|created|removed|implemented|changed|moved|replaced)|summary|key changes?)\b/i
/** Says that something was found, and not what. */
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
const MAX_CHARS = 420
