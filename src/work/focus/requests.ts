import { namesOwnTool } from "../../shared/tool-names.ts"
import { requestsInChinese } from "./chinese-requests.ts"
import { clausesOf, SMALL_TALK, sentencesOf } from "./clauses.ts"
import { looseRequests } from "./loose-requests.ts"
import { moveIn } from "./move-words.ts"
import { withoutAll } from "./patterns.ts"
import {
  AWAY,
  AWAY_FROM_HERE,
  BEFORE_GOING_ON,
  BELONGING,
  CONTRAST,
  FINITE,
  HOW_ABOUT,
  LAST,
  LATER,
  LEFT_FOR,
  LETS,
  NOT_THAT,
  ONLY_NOT_THIS,
  ONLY_PLAN,
  ONLY_STOPS,
  ONLY_SWITCH,
  OPENING,
  PLACE,
  PLACES,
  PLEASE_AT_END,
  POLITE,
  PRONOUN,
  PUT_OFF,
  SET_AGAINST_FIRST,
  STOPS,
  TELLS,
  TELLS_WHAT_FOLLOWS,
  THAT_IS_MORE_URGENT,
  WAITS,
  WORK,
} from "./request-words.ts"
import { IS_DUE, MORE_URGENT } from "./told-words.ts"
import { nameIn, type Request, wantedIn } from "./wanted.ts"

/**
 * What a message asks to be worked on now, in its own words: "the checkout UI" of "Leave this and fix the checkout UI
 * first". Only a plain request counts ("switch to X", "first do X", "X instead"); what is asked, told, quoted, refused, put
 * off or kept by the user is none. By rules over words, for six languages: a model call would cost a turn, and cannot be
 * explained.
 */
export function requestsIn(message: string): Request[] {
  // HiveMind's own commands, and whoever names its tools, say themselves what is to be done.
  if (namesOwnTool(message)) return []
  const found: Request[] = []
  let held: Held = "no"
  let before = ""
  for (const sentence of sentencesOf(message)) {
    const chinese = requestsInChinese(sentence)
    if (chinese !== undefined) found.push(...chinese.map((text) => ({ text, isName: false })))
    else if (ONLY_SWITCH.test(sentence)) found.push({ text: before, isName: false })
    else {
      const plain = requestsOf(sentence, held, before)
      found.push(...(plain.length > 0 ? plain : looseIn(sentence)))
    }
    held = heldBy(sentence)
    before = sentence
  }
  return found
}

function looseIn(sentence: string): Request[] {
  const texts = looseRequests(sentence, clausesOf(sentence), (clause) => isLeft(plainly(clause)))
  return texts.map((text) => ({ text, isName: false }))
}

/** What a sentence says of the next one: "Wait. Fix the UI." "Forget the list. Webhooks." */
type Held = "no" | "urged" | "named"

function heldBy(sentence: string): Held {
  const isAway = isLeft(sentence.replace(SMALL_TALK, "")) || isLeft(withoutAll(sentence, OPENING))
  if (ONLY_PLAN.test(sentence) || ONLY_NOT_THIS.test(sentence) || isAway) return "named"
  return ONLY_STOPS.test(sentence) ? "urged" : "no"
}

/** The clauses of a sentence are looked at one by one: "not the login, the checkout first" asks for one of the two. */
function requestsOf(sentence: string, held: Held, sentenceBefore: string): Request[] {
  if (TELLS_WHAT_FOLLOWS.test(sentence)) return []
  const isQuestion = sentence.endsWith("?")
  let isUrged =
    held !== "no" ||
    STOPS.test(sentence.replace(SMALL_TALK, "")) ||
    CONTRAST.test(sentence) ||
    THAT_IS_MORE_URGENT.test(sentence)
  let isNameEnough = held === "named"
  const found: Request[] = []
  let isPolite = false
  let isPlaced = false
  let before = sentenceBefore
  const said: string[] = []
  const clauses = clausesOf(sentence)
  // "Do the page, the list can wait."
  isUrged ||= clauses.some((clause) => WAITS.test(clause))
  for (const clause of clauses) {
    const plain = plainly(clause)
    if (PLACE.test(plain)) {
      isPlaced = true
      continue
    }
    if (isPlaced && isLayout(plain)) continue
    if (PUT_OFF.test(plain)) {
      isUrged = true
      before = plain
      continue
    }
    // "When you are done, switch to X": all that follows is for later. "I show it tomorrow" tells only why.
    if (LATER.test(plain.replace(POLITE, ""))) {
      if (!TELLS.test(plain) || CONDITION.test(plain)) return found
      before = plain
      continue
    }
    const exchanged = isQuestion ? undefined : nameIn(LEFT_FOR, plain)
    if (exchanged !== undefined) {
      found.push(exchanged)
      continue
    }
    // "Can you leave this and do X?" asks for both.
    isPolite ||= isQuestion && POLITE.test(plain)
    if (isLeft(plain) || isLeft(plain.replace(POLITE, ""))) {
      isUrged = true
      isNameEnough = AWAY_FROM_HERE.test(plain)
    } else if (ONLY_SWITCH.test(plain.replace(POLITE, ""))) isUrged = true
    else if (!isQuestion && NOT_THAT.test(plain)) {
      isUrged = true
      isNameEnough = true
    } else if (ONLY_PLAN.test(plain)) {
      isUrged = true
      isNameEnough = true
    } else {
      const asked = wantedIn(
        plain,
        isQuestion && !isPolite,
        isUrged,
        isNameEnough || isNamePlease(clause, sentence, isUrged) || (isUrged && HOW_ABOUT.test(clause)),
      )
      // "The tests are red, fix them first."
      if (asked !== undefined)
        found.push(
          ...(PRONOUN.test(withoutAll(asked.text, LAST)) ? spokenOf(before, said, asked.isName) : [asked]),
        )
      // "The leaks are more urgent, do them."
      isUrged ||= !isQuestion && (MORE_URGENT.test(plain) || IS_DUE.test(plain))
      isNameEnough = false
      before = plain
      said.push(plain)
    }
  }
  return found
}

/** Said of a place, only plain work is asked for; what else is to come first there is to stand first. */
function isLayout(clause: string): boolean {
  return PLACES.test(clause) || !WORK.test(clause)
}

/** "The captcha please": nothing but a name, and that it is wanted. */
function isNamePlease(clause: string, sentence: string, isUrged: boolean): boolean {
  const isWhole = isUrged || sentence === clause || sentence.startsWith(`${clause},`)
  return isWhole && PLEASE_AT_END.test(clause) && clause.split(/\s+/).length <= MAX_PLEASE_WORDS
}

/**
 * What was spoken of: "the queue" of "the queue has grown again", "the tolls" of "she needs the tolls by noon", or else what
 * all of it is about.
 */
function spokenOf(clause: string, said: readonly string[], isName: boolean): Request[] {
  const told = clause.replace(POLITE, "").trim()
  const verb = FINITE.exec(told)
  const found: Request[] = []
  if (verb !== null && verb.index > MIN_SUBJECT_CHARS) {
    const object = told.slice(verb.index + verb[0].length).replace(BELONGING, "")
    found.push({ text: told.slice(0, verb.index), isName }, { text: object, isName: true })
  }
  return [...found, { text: told, isName: false }, { text: said.join(" "), isName: false }]
}

function plainly(clause: string): string {
  return withoutAll(clause, OPENING)
    .replace(PLEASE_AT_END, "")
    .replace(SET_AGAINST_FIRST, "first ")
    .replace(BEFORE_GOING_ON, "first ")
}

/** What is to be left is never what is asked for, but what follows is. */
function isLeft(clause: string): boolean {
  return (AWAY.test(clause.replace(LETS, "")) && moveIn(clause) === undefined) || WAITS.test(clause)
}

// All that follows hangs on it.
const CONDITION =
  /(?<![\p{L}])(?:when|once|after|if|until|unless|as soon as|wenn|sobald|nachdem|falls|bis)(?![\p{L}])/iu
const MIN_SUBJECT_CHARS = 3
const MAX_PLEASE_WORDS = 5
