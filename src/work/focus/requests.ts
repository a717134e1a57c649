import { namesOwnTool } from "../../shared/tool-names.ts"
import { requestsInChinese } from "./chinese-requests.ts"
import { clausesOf, SMALL_TALK, sentencesOf } from "./clauses.ts"
import { looseRequests } from "./loose-requests.ts"
import { moveIn } from "./move-words.ts"
import {
  AWAY,
  AWAY_FROM_HERE,
  BEFORE_GOING_ON,
  BELONGING,
  BETWEEN,
  CAN_BE_FIRST,
  CANNOT_WAIT,
  CONTRAST,
  FINITE,
  FIRST,
  FIRST_MUST,
  GO_AND,
  INFINITIVE_AT_END,
  IS_THE_ONE,
  IS_UP,
  LAST,
  LATER,
  LEFT_FOR,
  LETS,
  MAX_NAME_WORDS,
  MORE_URGENT,
  MOVE_AT_END,
  MUST_BE_FIRST,
  NOT_THAT,
  NOW_WITHIN,
  ONLY_NOT_THIS,
  ONLY_PLAN,
  ONLY_STOPS,
  ONLY_SWITCH,
  OPENING,
  PLAN,
  PLEASE_AT_END,
  POLITE,
  POLITE_PAST,
  PRIORITY_IS,
  PRONOUN,
  PUT_OFF,
  REFUSES,
  SET_AGAINST,
  SET_AGAINST_FIRST,
  STOPS,
  TAKE,
  TALK,
  TELLS,
  TELLS_WHAT_FOLLOWS,
  THAT_IS_MORE_URGENT,
  VERB_BEFORE_NAME,
  WAITS,
  WANTED_DONE,
  WANTED_IN_GERMAN,
  WE_SHOULD,
  WHAT_IS_WANTED,
  WORK,
  WORK_AT_END,
} from "./request-words.ts"

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

export interface Request {
  text: string
  /** Nothing says that work is meant but the name of it: "the login first". */
  isName: boolean
  /** A word that has to be in the name of what is meant: "print" of "print the letters" may only ask for words. */
  verb?: string
  /** What is to be worked on, without what it belongs to: "a link" of "add a link to the login first". */
  core?: string
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

function wantedIn(
  clause: string,
  isQuestion: boolean,
  isUrged: boolean,
  isNameEnough: boolean,
): Request | undefined {
  const isPolite = POLITE.test(clause)
  const asked = clause.replace(POLITE, "").replace(WE_SHOULD, "")
  const order = isPolite ? withoutAll(asked, BETWEEN).replace(POLITE_PAST, "do ") : asked
  const last = isPolite || LETS.test(clause) ? nameIn(MOVE_AT_END, asked) : undefined
  if (last !== undefined && !REFUSES.test(order)) return last
  const passive = nameIn(CAN_BE_FIRST, clause) ?? (isUrged ? nameIn(CANNOT_WAIT, clause) : undefined)
  if (passive !== undefined) return passive
  if (REFUSES.test(order) || (isQuestion && !isPolite)) return undefined
  const told =
    nameIn(MUST_BE_FIRST, clause) ??
    nameIn(WANTED_DONE, clause) ??
    nameIn(WANTED_IN_GERMAN, clause) ??
    nameIn(PRIORITY_IS, clause) ??
    nameIn(FIRST_MUST, clause) ??
    nameIn(IS_THE_ONE, clause) ??
    nameIn(WHAT_IS_WANTED, clause) ??
    (isUrged ? (nameIn(MORE_URGENT, clause) ?? nameIn(IS_UP, clause)) : undefined)
  if (told !== undefined) return told
  return !isPolite && TELLS.test(clause) && moveIn(order) === undefined
    ? undefined
    : askedFor(order, isPolite, isUrged, isNameEnough)
}

function nameIn(pattern: RegExp, clause: string): Request | undefined {
  const groups = pattern.exec(clause)?.groups
  const name = groups?.["name"] ?? groups?.["what"]
  return name === undefined || FINITE.test(name)
    ? undefined
    : { text: withoutAll(name, OPENING), isName: pattern !== WANTED_DONE && pattern !== WANTED_IN_GERMAN }
}

/** What is to be left is never what is asked for, but what follows is. */
function isLeft(clause: string): boolean {
  return (AWAY.test(clause.replace(LETS, "")) && moveIn(clause) === undefined) || WAITS.test(clause)
}

/** What stands behind the words of a request, without what it is set against ("… instead of the login"). */
function askedFor(
  clause: string,
  isPolite: boolean,
  isUrged: boolean,
  isNameEnough: boolean,
): Request | undefined {
  const wanted = clause.replace(SET_AGAINST, "").trim()
  for (const start of [wanted, withoutAll(wanted, FIRST)]) {
    const moved = moveIn(start)
    if (moved !== undefined) return { text: start.slice(moved.length), isName: false }
  }
  const rest = withoutAll(withoutAll(wanted, FIRST), LAST)
  const object = withoutAll(rest.replace(WORK, ""), OPENING)
  const isWork =
    (WORK.test(rest) && !TALK.test(object)) ||
    WORK_AT_END.test(rest) ||
    (isPolite && INFINITIVE_AT_END.test(rest) && !TALK.test(lastWord(rest)))
  const isForNow =
    isUrged ||
    rest !== clause ||
    LETS.test(rest) ||
    FIRST.test(object) ||
    GO_AND.test(rest) ||
    NOW_WITHIN.test(rest)
  if (isWork && isForNow)
    return { text: withoutAll(object, FIRST), isName: false, core: object.replace(BELONGING, "") }
  if (isUrged && TAKE.test(rest)) return { text: rest.replace(TAKE, ""), isName: true }
  const verb = isUrged ? TALK.exec(rest)?.[0].trim() : undefined
  if (verb !== undefined) return { text: rest, isName: true, verb }
  const name = withoutAll(withoutAll(rest.replace(PLAN, ""), FIRST), OPENING)
  const isName = name.split(/\s+/).length <= MAX_NAME_WORDS && !FINITE.test(name) && !TALK.test(name)
  return isName && (rest !== wanted || PLAN.test(wanted) || isNameEnough)
    ? { text: name.replace(VERB_BEFORE_NAME, ""), isName }
    : undefined
}

function lastWord(text: string): string {
  return text.slice(text.lastIndexOf(" ") + 1)
}

function withoutAll(text: string, pattern: RegExp): string {
  let rest = text
  while (pattern.test(rest)) rest = rest.replace(pattern, "").trim()
  return rest
}

const MIN_SUBJECT_CHARS = 3
const MAX_PLEASE_WORDS = 5
