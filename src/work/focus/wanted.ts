import { moveIn } from "./move-words.ts"
import { withoutAll } from "./patterns.ts"
import {
  BELONGING,
  BETWEEN,
  CAN_BE_FIRST,
  CANNOT_WAIT,
  FINITE,
  FIRST,
  GO_AND,
  INFINITIVE_AT_END,
  LAST,
  LETS,
  MAX_NAME_WORDS,
  MOVE_AT_END,
  NOW_WITHIN,
  ON_A_DAY,
  OPENING,
  PLAN,
  POLITE,
  POLITE_PAST,
  PRONOUN,
  REFUSES,
  SAYS_NOW,
  SET_AGAINST,
  SOMEBODY_DOES,
  TAKE,
  TALK,
  TELL_ME,
  TELLS,
  VERB_BEFORE_NAME,
  WE_SHOULD,
  WE_WILL,
  WHOLE_TASK,
  WORK,
  WORK_AT_END,
} from "./request-words.ts"
import {
  FIRST_MUST,
  GIVE_ME,
  IS_THE_ONE,
  IS_UP,
  IT_IS,
  MORE_URGENT,
  MUST_BE_FIRST,
  NEEDED,
  NEEDED_NOW,
  PRIORITY_IS,
  RATHER_HAVE,
  THAT_ONE,
  WANTED_DONE,
  WANTED_IN_GERMAN,
  WE_DO,
  WHAT_IS_WANTED,
} from "./told-words.ts"

export interface Request {
  text: string
  /** Nothing says that work is meant but the name of it: "the login first". */
  isName: boolean
  /** It has to be most of the name of what is meant, too. */
  isWhole?: boolean
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
  if (isPlanned(clause, isUrged)) return undefined
  const asked = clause.replace(WE_WILL, "").replace(POLITE, "").replace(WE_SHOULD, "")
  const order = isPolite ? withoutAll(asked, BETWEEN).replace(POLITE_PAST, "do ") : asked
  const last = isPolite || LETS.test(clause) ? nameIn(MOVE_AT_END, asked) : undefined
  if (last !== undefined && !REFUSES.test(order)) return last
  const passive = nameIn(CAN_BE_FIRST, clause) ?? (isUrged ? nameIn(CANNOT_WAIT, clause) : undefined)
  if (passive !== undefined) return passive
  if (REFUSES.test(order) || (isQuestion && !isPolite)) return undefined
  const told =
    toldIn(clause, isUrged) ?? toldIn(clause.replace(/^(?:now|next|jetzt)\s+(.+)$/iu, "$1 now"), isUrged)
  if (told !== undefined) return told
  return !isPolite && TELLS.test(clause) && moveIn(order) === undefined
    ? undefined
    : askedFor(order, isPolite, isUrged, isNameEnough)
}

/** What the team is going to do, or what is to be gone to on another day. */
function isPlanned(clause: string, isUrged: boolean): boolean {
  if (WE_WILL.test(clause)) return !(isUrged || SAYS_NOW.test(clause)) || ON_A_DAY.test(clause)
  return moveIn(clause) !== undefined && ON_A_DAY.test(clause)
}

/** What is said to be wanted, and not ordered. */
function toldIn(clause: string, isUrged: boolean): Request | undefined {
  if (THAT_ONE.test(clause)) return { text: "", isName: false }
  const patterns = isUrged ? [...TOLD, ...TOLD_WHERE_URGED] : TOLD
  for (const pattern of patterns) {
    const found = nameIn(pattern, clause)
    if (found !== undefined) return found
  }
  return undefined
}

const BELONGS =
  /^(?:for|with|about|until|from|into|over|under|like|than|auf|für|mit|bei|von|vor|über|ohne|met|voor|naar)\s/iu
const TOLD = [
  MUST_BE_FIRST,
  WANTED_DONE,
  WANTED_IN_GERMAN,
  PRIORITY_IS,
  FIRST_MUST,
  IS_THE_ONE,
  WHAT_IS_WANTED,
  NEEDED_NOW,
  IT_IS,
  RATHER_HAVE,
]
const TOLD_WHERE_URGED = [MORE_URGENT, IS_UP, GIVE_ME, NEEDED, WE_DO]

export function nameIn(pattern: RegExp, clause: string): Request | undefined {
  const groups = pattern.exec(clause)?.groups
  const name = groups?.["name"] ?? groups?.["what"] ?? groups?.["thing"]
  return name === undefined || (isSentence(name) && !PRONOUN.test(name))
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
  // "Do the labels" says all of a task's name, or means a part of what is at hand.
  if (isWork && !isForNow && WHOLE_TASK.test(rest)) return { text: object, isName: true, isWhole: true }
  if (isWork && isForNow)
    return { text: withoutAll(object, FIRST), isName: false, core: object.replace(BELONGING, "") }
  if (isUrged && TAKE.test(rest)) return { text: rest.replace(TAKE, ""), isName: true }
  const isTalk = (isUrged || rest !== wanted) && !TELL_ME.test(rest)
  const verb = isTalk ? TALK.exec(rest)?.[0].trim() : undefined
  if (verb !== undefined) return { text: rest, isName: true, verb }
  const name = withoutAll(withoutAll(rest.replace(PLAN, ""), FIRST), OPENING)
  const isName = name.split(/\s+/).length <= MAX_NAME_WORDS && !isSentence(name) && !TALK.test(name)
  // "Leave the list and print the letters".
  const isOrder = isUrged && VERB_BEFORE_NAME.test(rest) && !BELONGS.test(rest)
  return isName && (rest !== wanted || PLAN.test(wanted) || isNameEnough || isOrder)
    ? { text: name.replace(VERB_BEFORE_NAME, ""), isName }
    : undefined
}

/** No bare name, but said of something. */
function isSentence(name: string): boolean {
  return FINITE.test(name) || SOMEBODY_DOES.test(name)
}

function lastWord(text: string): string {
  return text.slice(text.lastIndexOf(" ") + 1)
}
