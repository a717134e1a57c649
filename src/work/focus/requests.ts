import { namesOwnTool } from "../../shared/tool-names.ts"
import { requestsInChinese } from "./chinese-requests.ts"
import {
  AWAY,
  AWAY_FROM_HERE,
  BEFORE_GOING_ON,
  BELONGING,
  CAN_BE_FIRST,
  CANNOT_WAIT,
  CONTRAST,
  FINITE,
  FIRST,
  LAST,
  LATER,
  LEAD_IN,
  LETS,
  MAX_END_CHARS,
  MAX_NAME_WORDS,
  MAX_SENTENCE_CHARS,
  MORE_URGENT,
  MOVE,
  MUST_BE_FIRST,
  ONLY_NOW,
  ONLY_PLAN,
  ONLY_STOPS,
  ONLY_SWITCH,
  OPENING,
  PLAN,
  PLEASE_AT_END,
  POLITE,
  PRONOUN,
  REFUSES,
  SET_AGAINST,
  SET_AGAINST_FIRST,
  STOPS,
  TALK,
  TELLS,
  WAITS,
  WANTED_DONE,
  WE_SHOULD,
  WORK,
  WORK_AT_END,
} from "./request-words.ts"
import { withoutSlips } from "./spelling.ts"

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
    else found.push(...requestsOf(sentence, held))
    held = heldBy(sentence)
    before = sentence
  }
  return found
}

export interface Request {
  text: string
  /** Nothing says that work is meant but the name of it: "the login first". */
  isName: boolean
  /** What is to be worked on, without what it belongs to: "a link" of "add a link to the login first". */
  core?: string
}

/** What a sentence says of the next one: "Wait. Fix the UI." "Forget the list. Webhooks." */
type Held = "no" | "urged" | "named"

function heldBy(sentence: string): Held {
  if (ONLY_PLAN.test(sentence) || isLeft(withoutAll(sentence, OPENING))) return "named"
  return ONLY_STOPS.test(sentence) ? "urged" : "no"
}

/** The clauses of a sentence are looked at one by one: "not the login, the checkout first" asks for one of the two. */
function requestsOf(sentence: string, held: Held): Request[] {
  const isQuestion = sentence.endsWith("?")
  let isUrged = held !== "no" || STOPS.test(sentence) || CONTRAST.test(sentence)
  let isNameEnough = held === "named"
  const found: Request[] = []
  let before = ""
  for (const clause of clausesOf(sentence)) {
    const plain = plainly(clause)
    // "When you are done, switch to X": all that follows is for later.
    if (LATER.test(plain.replace(POLITE, ""))) return found
    if (isLeft(plain)) {
      isUrged = true
      isNameEnough = AWAY_FROM_HERE.test(plain)
    } else if (ONLY_PLAN.test(plain)) isNameEnough = true
    else {
      const asked = wantedIn(plain, isQuestion, isUrged, isNameEnough)
      // "The tests are red, fix them first."
      if (asked !== undefined) found.push(PRONOUN.test(asked.text) ? { ...asked, text: before } : asked)
      // "The leaks are more urgent, do them."
      isUrged ||= !isQuestion && MORE_URGENT.test(plain)
      isNameEnough = false
      before = plain
    }
  }
  return found
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
  const order = clause.replace(POLITE, "").replace(WE_SHOULD, "")
  const passive = nameIn(CAN_BE_FIRST, clause) ?? (isUrged ? nameIn(CANNOT_WAIT, clause) : undefined)
  if (passive !== undefined) return passive
  if (REFUSES.test(order) || (isQuestion && !isPolite)) return undefined
  const told =
    nameIn(MUST_BE_FIRST, clause) ??
    nameIn(WANTED_DONE, clause) ??
    (isUrged ? nameIn(MORE_URGENT, clause) : undefined)
  if (told !== undefined) return told
  return !isPolite && TELLS.test(clause) ? undefined : askedFor(order, isUrged, isNameEnough)
}

function nameIn(pattern: RegExp, clause: string): Request | undefined {
  const name = pattern.exec(clause)?.groups?.["name"]
  return name === undefined || FINITE.test(name)
    ? undefined
    : { text: withoutAll(name, OPENING), isName: pattern !== WANTED_DONE }
}

/** What is to be left is never what is asked for, but what follows is. */
function isLeft(clause: string): boolean {
  return (AWAY.test(clause.replace(LETS, "")) && !MOVE.test(clause)) || WAITS.test(clause)
}

/** What stands behind the words of a request, without what it is set against ("… instead of the login"). */
function askedFor(clause: string, isUrged: boolean, isNameEnough: boolean): Request | undefined {
  const wanted = clause.replace(SET_AGAINST, "").trim()
  const moved = MOVE.exec(wanted)
  if (moved !== null) return { text: wanted.slice(moved[0].length), isName: false }
  const rest = withoutAll(withoutAll(wanted, FIRST), LAST)
  const object = withoutAll(rest.replace(WORK, ""), OPENING)
  const isWork = (WORK.test(rest) && !TALK.test(object)) || WORK_AT_END.test(rest)
  if (isWork && (isUrged || rest !== clause || LETS.test(rest) || FIRST.test(object)))
    return { text: withoutAll(object, FIRST), isName: false, core: object.replace(BELONGING, "") }
  const name = withoutAll(withoutAll(rest.replace(PLAN, ""), FIRST), OPENING)
  const isName = name.split(/\s+/).length <= MAX_NAME_WORDS && !FINITE.test(name) && !TALK.test(name)
  return isName && (rest !== wanted || PLAN.test(wanted) || isNameEnough) ? { text: name, isName } : undefined
}

function withoutAll(text: string, pattern: RegExp): string {
  let rest = text
  while (pattern.test(rest)) rest = rest.replace(pattern, "").trim()
  return rest
}

/** Without code and quotations: what stands there, somebody else has said. */
function sentencesOf(message: string): string[] {
  const own = endsOf(message)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/^[ \t]{0,20}>.*$/gm, "\n")
    .replaceAll(/[“„«"](?=[^\n"”“»]*[\s.,!?])[^\n"”“»]{25,}[”“»"]/g, " … ")
    .replaceAll("’", "'")
    .replaceAll(/[¿¡]/g, "")
    .replaceAll(/\s{1,3}(?=[:?!])/g, "")
  return withoutSlips(own)
    .split(/(?<=[.!?。！？])\s+|(?<=[。！？])|\n+|;\s+/)
    .map((sentence) => sentence.trim().replace(/[.!\s。！]+$/, ""))
    .filter((sentence) => sentence !== "" && sentence.length <= MAX_SENTENCE_CHARS)
}

/** Of a long message, where it begins and where it ends: between them stands what was pasted. */
function endsOf(message: string): string {
  if (message.length <= 2 * MAX_END_CHARS) return message
  const whole = message.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
  if (whole.length <= 2 * MAX_END_CHARS) return whole
  return `${whole.slice(0, MAX_END_CHARS)}\n${whole.slice(-MAX_END_CHARS)}`
}

function clausesOf(sentence: string): string[] {
  const clauses = sentence
    .replace(/\?$/, "")
    .replace(LEAD_IN, "first: ")
    .split(
      /,\s+|(?<!\b(?:plans?|priority|prio|focus|task|up|next|now|first|switch|instead|change|jetzt|zuerst|nächstes|eerst|nu|maintenant|ahora|primero|planes)|d'abord|wijziging|änderung):\s+|\s+(?:[-–—]|[-=]>|→)\s+|\s+(?:and then|and|but|then|so|because|since|und dann|und|aber|dann|sondern|weil|denn|en dan|en(?= (?:ga|pak|doe|maak|begin|schakel|fix|neem) )|et|mais|y|pero|porque)\s+/i,
    )
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "")
  return withNow(clauses)
}

/** "The captcha, now" is one clause. */
function withNow(clauses: readonly string[]): string[] {
  const joined: string[] = []
  for (const clause of clauses) {
    const last = joined.at(-1)
    if (last === undefined || !ONLY_NOW.test(clause)) joined.push(clause)
    else joined[joined.length - 1] = `${last.replace(/\s+(?:please|pls|plz)$/i, "")} ${clause}`
  }
  return joined
}
