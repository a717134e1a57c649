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
  CONTRAST,
  FINITE,
  LAST,
  LATER,
  LEFT_FOR,
  LETS,
  MORE_URGENT,
  NOT_THAT,
  ONLY_NOT_THIS,
  ONLY_PLAN,
  ONLY_STOPS,
  ONLY_SWITCH,
  OPENING,
  PLEASE_AT_END,
  POLITE,
  PRONOUN,
  PUT_OFF,
  SET_AGAINST_FIRST,
  STOPS,
  TELLS_WHAT_FOLLOWS,
  THAT_IS_MORE_URGENT,
  WAITS,
} from "./request-words.ts"
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
  if (ONLY_PLAN.test(sentence) || ONLY_NOT_THIS.test(sentence) || isLeft(withoutAll(sentence, OPENING)))
    return "named"
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
  let before = sentenceBefore
  for (const clause of clausesOf(sentence)) {
    const plain = plainly(clause)
    if (PUT_OFF.test(plain)) {
      isUrged = true
      before = plain
      continue
    }
    // "When you are done, switch to X": all that follows is for later.
    if (LATER.test(plain.replace(POLITE, ""))) return found
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
        isNameEnough || isNamePlease(clause, sentence, isUrged),
      )
      // "The tests are red, fix them first."
      if (asked !== undefined)
        found.push(
          PRONOUN.test(withoutAll(asked.text, LAST))
            ? { text: subjectOf(before), isName: asked.isName }
            : asked,
        )
      // "The leaks are more urgent, do them."
      isUrged ||= !isQuestion && MORE_URGENT.test(plain)
      isNameEnough = false
      before = plain
    }
  }
  return found
}

/** "The captcha please": nothing but a name, and that it is wanted. */
function isNamePlease(clause: string, sentence: string, isUrged: boolean): boolean {
  const isWhole = isUrged || sentence === clause || sentence.startsWith(`${clause},`)
  return isWhole && PLEASE_AT_END.test(clause) && clause.split(/\s+/).length <= MAX_PLEASE_WORDS
}

/** What was spoken of: "the queue" of "the queue has grown again". */
function subjectOf(clause: string): string {
  const told = clause.replace(POLITE, "").trim()
  const at = told.search(FINITE)
  return at > MIN_SUBJECT_CHARS ? told.slice(0, at) : told
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

const MIN_SUBJECT_CHARS = 3
const MAX_PLEASE_WORDS = 5
