import { LATER, POLITE, REFUSES, SET_AGAINST, TALK, TELLS_WHAT_FOLLOWS } from "./request-words.ts"

/**
 * What a sentence asks for that no rule knows the form of: somebody says that something is wanted ("can you", "we need",
 * "please"), and that it is to come before what is at hand ("first", "now", "leave that"). What is refused, told of, asked
 * for in words or put off is none.
 */
export function looseRequests(
  sentence: string,
  clauses: readonly string[],
  isLeft: (clause: string) => boolean,
): string[] {
  const isQuestion = sentence.endsWith("?")
  if (
    HEDGED.test(sentence) ||
    !WANTED.test(sentence) ||
    (isQuestion && !MAY_ASK.test(sentence)) ||
    TELLS_WHAT_FOLLOWS.test(sentence)
  )
    return []
  const kept = clauses.filter((clause) => !isLeft(clause) && !isLeft(clause.replace(POLITE, "")))
  const hasLeft = kept.length < clauses.length
  return kept.flatMap((clause) => {
    const isForNow = hasLeft || FOR_NOW.test(clause)
    if (!isForNow || isTold(clause) || !WANTED.test(hasLeft ? sentence : clause)) return []
    return [withoutCues(clause.replace(SET_AGAINST, ""))]
  })
}

function isTold(clause: string): boolean {
  const order = clause.replace(WANTED_AT_START, "")
  return (
    REFUSES.test(clause) ||
    LATER.test(clause) ||
    PAST.test(clause) ||
    OWN_DOING.test(clause) ||
    TALK.test(order)
  )
}

function withoutCues(clause: string): string {
  return clause.replaceAll(CUES, " ").trim()
}

const ORDER =
  "please|pls|plz|bitte|(?:can|could|would|will) (?:you|u|we)|let's|lets|let us|we(?:'d better| should| must| need| have to| gotta)|you (?:should|must|need to|have to)|i(?:'d| would)? (?:want|need|like|love|prefer)|kannst du|könntest du|können wir|könnten wir|lass uns|wir (?:machen|brauchen|müssen|sollten|nehmen)|ich (?:brauche?|will|möchte|hätte gern)"
const WANTED = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${ORDER}|(?:can|could) .+ (?:be (?:done|fixed|finished|made|moved|taken)|come|go))(?![\\p{L}\\p{N}])`,
  "iu",
)
const WANTED_AT_START = new RegExp(`^(?:(?:${ORDER})(?![\\p{L}\\p{N}])[\\s,]*)+`, "iu")
const MAY_ASK =
  /^(?:(?:hey|ok|okay|so|and|but|und|aber|na)[,\s]+)*(?:can|could|would you|will you|kannst du|könntest du|können wir|könnten wir|please|bitte)(?![\p{L}])/iu
// "On the first" is a day.
const NOW =
  "(?<!(?:the|der|die|das|den) )first|now|right now|next|instead|asap|immediately|at once|before|priority|prio|urgent(?:ly)?|zuerst|erst|erstmal|jetzt|vorher|sofort|als nächstes|vorrang|dringend|vor (?:der|dem|den)"
const FOR_NOW = new RegExp(`(?<![\\p{L}\\p{N}])(?:${NOW})(?![\\p{L}\\p{N}])`, "iu")
const CUES = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${ORDER}|${NOW}|be|to be|done|do|have|make|mach|machen)(?![\\p{L}\\p{N}])`,
  "giu",
)
const HEDGED =
  /(?<![\p{L}])(?:maybe|perhaps|possibly|might|wonder|not sure|unsure|vielleicht|eventuell|womöglich|nicht sicher)(?![\p{L}])/iu
const PAST =
  /(?<![\p{L}\p{N}])(?:was|were|had|did|came|went|got|found|used to|has been|have been|already|yesterday|last (?:week|month|year|time)|war|waren|hatte|hatten|hat|haben|kam|kamen|ging|wurde|wurden|gestern|schon)(?![\p{L}\p{N}])/iu
const OWN_DOING =
  /(?<![\p{L}\p{N}])(?:i'll|i'm|im|i am|i will|i can|i could|me to|myself|mach ich|mache ich|ich mach|ich mache|ich kann|selbst|selber|thank|thanks|danke|tell|see|seen|know|sehen|lesen|finden|öffnen)(?![\p{L}\p{N}])/iu

/** To be compiled before they are needed. */
export const LOOSE_RULES = [WANTED, WANTED_AT_START, MAY_ASK, FOR_NOW, CUES, HEDGED, PAST, OWN_DOING]
