import { moveIn } from "./move-words.ts"
import { withoutAll } from "./patterns.ts"
import {
  BELONGING,
  BETWEEN,
  CAN_BE_FIRST,
  CANNOT_WAIT,
  FINITE,
  FIRST,
  FIRST_MUST,
  GO_AND,
  INFINITIVE_AT_END,
  IS_THE_ONE,
  IS_UP,
  LAST,
  LETS,
  MAX_NAME_WORDS,
  MORE_URGENT,
  MOVE_AT_END,
  MUST_BE_FIRST,
  NOW_WITHIN,
  OPENING,
  PLAN,
  POLITE,
  POLITE_PAST,
  PRIORITY_IS,
  REFUSES,
  SET_AGAINST,
  TAKE,
  TALK,
  TELLS,
  VERB_BEFORE_NAME,
  WANTED_DONE,
  WANTED_IN_GERMAN,
  WE_SHOULD,
  WHAT_IS_WANTED,
  WORK,
  WORK_AT_END,
} from "./request-words.ts"

export interface Request {
  text: string
  /** Nothing says that work is meant but the name of it: "the login first". */
  isName: boolean
  /** A word that has to be in the name of what is meant: "print" of "print the letters" may only ask for words. */
  verb?: string
  /** What is to be worked on, without what it belongs to: "a link" of "add a link to the login first". */
  core?: string
}

/** What a clause asks for; undefined where it asks for nothing. */
export function wantedIn(
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

export function nameIn(pattern: RegExp, clause: string): Request | undefined {
  const groups = pattern.exec(clause)?.groups
  const name = groups?.["name"] ?? groups?.["what"]
  return name === undefined || FINITE.test(name)
    ? undefined
    : { text: withoutAll(name, OPENING), isName: pattern !== WANTED_DONE && pattern !== WANTED_IN_GERMAN }
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
