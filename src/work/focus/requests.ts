import { namesOwnTool } from "../../shared/tool-names.ts"

/**
 * What a message asks to be worked on now, in its own words: "the checkout UI" of "Leave this and fix the checkout UI
 * first". Only a plain request counts ("switch to X", "first do X", "X instead"); what is asked, told, quoted, refused, put
 * off or kept by the user is none. By rules over words, for English and German: a model call would cost a turn, and cannot
 * be explained.
 */
export function requestsIn(message: string): Request[] {
  // HiveMind's own commands, and whoever names its tools, say themselves what is to be done.
  if (namesOwnTool(message)) return []
  const found: Request[] = []
  let isHeld = false
  for (const sentence of sentencesOf(message)) {
    found.push(...requestsOf(sentence, isHeld))
    // "Wait. Fix the UI." The first sentence is about the second.
    isHeld = ONLY_STOPS.test(sentence) || isLeft(withoutAll(sentence, OPENING))
  }
  return found
}

export interface Request {
  text: string
  /** Nothing says that work is meant but the name of it: "the login first". */
  isName: boolean
}

/** The clauses of a sentence are looked at one by one: "not the login, the checkout first" asks for one of the two. */
function requestsOf(sentence: string, isHeld: boolean): Request[] {
  const isQuestion = sentence.endsWith("?")
  let isUrged = isHeld || STOPS.test(sentence)
  const found: Request[] = []
  let before = ""
  for (const clause of clausesOf(sentence)) {
    const plain = withoutAll(clause, OPENING)
    // "When you are done, switch to X": all that follows is for later.
    if (LATER.test(plain)) return found
    const isPolite = POLITE.test(plain)
    if (isLeft(plain)) isUrged = true
    else if (!REFUSES.test(plain) && (isPolite || (!isQuestion && !TELLS.test(plain)))) {
      const asked = askedFor(plain.replace(POLITE, "").replace(WE_SHOULD, ""), isUrged)
      // "The tests are red, fix them first."
      if (asked !== undefined) found.push(PRONOUN.test(asked.text) ? { ...asked, text: before } : asked)
    }
    before = plain
  }
  return found
}

/** What is to be left is never what is asked for, but what follows is. */
function isLeft(clause: string): boolean {
  return AWAY.test(clause) || WAITS.test(clause)
}

/** What stands behind the words of a request, without what it is set against ("… instead of the login"). */
function askedFor(clause: string, isUrged: boolean): Request | undefined {
  const wanted = clause.replace(SET_AGAINST, "").trim()
  const moved = MOVE.exec(wanted)
  if (moved !== null) return { text: wanted.slice(moved[0].length), isName: false }
  const rest = withoutAll(withoutAll(wanted, FIRST), LAST)
  const object = withoutAll(rest.replace(WORK, ""), OPENING)
  const isWork = (WORK.test(rest) && !TALK.test(object)) || WORK_AT_END.test(rest)
  if (isWork && (isUrged || rest !== clause || LETS.test(rest) || FIRST.test(object)))
    return { text: withoutAll(object, FIRST), isName: false }
  const name = withoutAll(rest.replace(PLAN, ""), OPENING)
  const isName = name.split(/\s+/).length <= MAX_NAME_WORDS && !FINITE.test(name) && !TALK.test(name)
  return isName && (rest !== wanted || PLAN.test(wanted)) ? { text: name, isName } : undefined
}

function withoutAll(text: string, pattern: RegExp): string {
  let rest = text
  while (pattern.test(rest)) rest = rest.replace(pattern, "").trim()
  return rest
}

/** Without code and quotations: what stands there, somebody else has said. */
function sentencesOf(message: string): string[] {
  const own = message
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/^\s*>.*$/gm, "\n")
    .replaceAll(/[“„«"](?=[^\n"”“»]*[\s.,!?])[^\n"”“»]{25,}[”“»"]/g, " … ")
    .replaceAll("’", "'")
  return own
    .split(/(?<=[.!?])\s+|\n+|;\s+/)
    .map((sentence) => sentence.trim().replace(/[.!\s]+$/, ""))
    .filter((sentence) => sentence !== "")
}

function clausesOf(sentence: string): string[] {
  return sentence
    .replace(/\?$/, "")
    .split(
      /,\s+|(?<!\b(?:plans?|priority|focus|up|next|now|first|switch|instead|jetzt|zuerst|nächstes)|änderung):\s+|\s+[-–—]\s+|\s+(?:and then|and|but|then|so|because|since|und dann|und|aber|dann|sondern|weil|denn)\s+/i,
    )
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "")
}

/** A whole alternative of words, at a clause's beginning. */
function begins(words: string): RegExp {
  return new RegExp(`^(?:${words})(?![\\p{L}\\p{N}])[\\s:]*`, "iu")
}

function ends(words: string): RegExp {
  return new RegExp(
    `[\\s,]+(?:${words})(?:[\\s,]+(?:please|thanks|thank you|bitte|danke|then|ok|okay))?[\\s!.]*$`,
    "iu",
  )
}

function has(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, "iu")
}

const HALT = "wait|hold on|hang on|stop|halt|pause|one moment|warte|wart mal|moment|stopp"
const STOPS = begins(HALT)
const ONLY_STOPS = new RegExp(
  `^(?:(?:ok|okay|no|nein|hm+|oh)[,\\s]+)?(?:${HALT})(?: a (?:second|sec|moment|minute)| mal| kurz)?[\\s,:!…-]*$`,
  "iu",
)
// Says nothing of what follows. "No dark mode" does, "no, dark mode" does not.
const OPENING = begins(
  `${HALT}|a (?:second|sec|moment|minute)|ok|okay|alright|right|yes|yeah|(?:no|nope|nah|nein|nee)(?=\\s*$|[,:!-])|hm+|oh|ah|well|hey|hi|hello|sorry|please|actually|great|good|nice|perfect|thanks|thank you|pls|plz|so|and|but|also|just|now then|on second thought|ja|gut|super|danke|bitte|ach|also|eigentlich|und|aber|na|hallo|sorry|entschuldigung|kurz|mal|doch`,
)
// Polite forms of a request, which may end in a question mark.
const POLITE = begins(
  "(?:can|could|would|will) you(?: please| just)?|can we(?: please)?|could we(?: please)?|would you mind|i (?:want|need) you to|i(?:'d| would) (?:like|love|prefer|want) you to|i(?:'d| would) like us to|i want us to|i (?:really )?need(?= (?:the|our|an?) )|i (?:want|would like|'d like|need) to(?= (?:focus|switch|work on|move|go|concentrate|start|prioriti))|i'd like to(?= (?:focus|switch|work on|move|go|concentrate|start|prioriti))|kannst du|könntest du|würdest du|können wir|könnten wir|ich möchte,? dass du|ich will,? dass du",
)
const WE_SHOULD = begins(
  "(?:now )?(?:we|you)(?:'d| had)? (?:should|need to|have to|must|better|ought to|really need to|really should)|we(?:'ve| have) got to|wir (?:müssen|sollten|machen)|du (?:musst|sollst|solltest)",
)
// The user's own doings, news, opinions, thanks, and questions without their mark.
const TELLS = begins(
  "(?:i|i'm|i've|i'll|i am|i was|he|she|they|it|it's|its|there|that|that's|those|these|this|who|what|what's|when|where|why|how|which|whose|is|are|was|were|did|does|do (?:you|we|i|they)|has|have|had|maybe|perhaps|possibly|should|shall|may|might|if|as|since|because|thanks|according|for the record|fyi|by the way|btw|remember|note|ich|er|sie|es|das (?:ist|war|geht|läuft)|da|dort|wer|was|wann|wo|warum|wie|welche[rs]?|ist|sind|war|hat|haben|vielleicht|soll|sollen wir|falls|wenn|weil|laut|übrigens)(?! (?:want|need) (?:you|us) to)",
)
const REFUSES = has(
  "^no|^kein\\p{L}*|don't|do not|dont|doesn't|won't|never|not|nothing|none|neither|nor|cannot|can't|shouldn't|no need|without|myself|ourselves|by hand|on my own|yourself? out|leave (?:it|that|this|them|.* alone)|nicht|kein\\p{L}*|nie|niemals|selbst|selber|ohne|lieber ich",
)
const LATER = has(
  "later|tomorrow|tonight|eventually|someday|some day|at some point|next (?:week|month|time|sprint|release)|(?:when|once|after|as soon as|if|until|unless|in case)(?! (?:possible|asap))|afterwards?|after that|then we|not yet|another time|später|morgen|irgendwann|nachher|danach|hinterher|sobald|nachdem|falls|wenn|bis|nächste\\p{L}* (?:woche|mal|monat|sprint)",
)
// What is to be left: never the target, and what follows is.
const AWAY = begins(
  "(?:one (?:more )?thing first|first things first|but first|stop|quit|leave|drop|forget|skip|park|pause|postpone|ignore|set aside|put aside|abandon|never mind|nevermind|enough (?:of|with|about)|instead of|rather than|before|vergiss|lass|lasst|überspring\\p{L}*|statt|anstatt|bevor|genug)(?! (?:uns|me|us))",
)
const WAITS = has("on hold|can wait|could wait|has to wait|have to wait|must wait|kann warten|muss warten")
const PRONOUN = /^(?:it|them|that|this|these|those|es|sie|das|die)?$/i
const SET_AGAINST =
  /\s+(?:instead of|rather than|before(?! (?:that|this|anything|everything|we|you)\b)|(?<!\b(?:swap|switch|move|go|jump|shift|change|come|turn|pivot) )over|ahead of|except|besides|anstatt|statt|bevor|außer|anstelle)\s.*$/iu
const MOVE = begins(
  [
    "(?:(?:let's|lets|let us|lass uns|now|first|instead|rather|please|jetzt|erst|erstmal|zuerst|bitte)\\s+)*(?:" +
      [
        "switch(?:ing)?(?: over| back| now| instead| context)? to",
        "go(?: back| over| straight| on)? to",
        "move(?: on| over| back| now)? to",
        "(?:jump|turn|return|get back|come back|change|shift|pivot)(?: over| back| now)? to",
        "(?:go )?back to",
        "shift (?:the |your )?focus to",
        "go (?:for|with)",
        "swap(?: over)? to",
        "time (?:to work on|for)",
        "(?:re)?focus(?: now| only| instead)? on",
        "concentrate(?: now)? on",
        "prioriti[sz]e",
        "(?:continue|carry on|go on|proceed|go ahead|keep going)(?: now)? with",
        "(?:start|begin)(?: now)? (?:with|on)",
        "(?:take|pick) up",
        "give priority to",
        "(?:work|get to work|crack on)(?: now| instead)? on(?=.*\\b(?:first|now|instead|next)\\b)",
        "wechs(?:le|el|eln)(?: jetzt| bitte)?(?: wieder)? (?:zu|zur|zum|auf)",
        "(?:geh|gehe|gehen wir|spring|kehr)(?: jetzt| bitte| wieder| zurück)* (?:zu|zur|zum)",
        "(?:zurück|weiter) (?:zu|zur|zum|mit)",
        "mach(?:e|en wir)?(?: jetzt| bitte| erstmal| lieber)* (?:mit|bei)",
        "(?:fang|beginn\\p{L}*|starte?)(?: jetzt| bitte)* mit",
        "kümmer\\p{L}* dich(?: jetzt| bitte| erst| erstmal| zuerst| lieber)* um",
        "konzentrier\\p{L}* dich(?: jetzt| bitte| erst)* auf",
        "priorisier\\p{L}*",
      ].join("|") +
      ")",
    // German puts the verb last.
    "dich(?: jetzt| bitte| erst| erstmal| zuerst| lieber)* um(?=.* kümmern$)",
    "(?:(?:bitte|jetzt|erst|erstmal|lieber)\\s+)*(?:mit|an)(?=.* (?:weiter|weitermachen|weiterarbeiten|anfangen|beginnen|arbeiten)$)",
  ].join("|"),
)
const PLAN = begins(
  "(?:change of plans?|new (?:plan|priority|focus)|(?:top )?priority|next(?: up)?|up next|now|first|switch|instead|planänderung|jetzt|zuerst|als nächstes)(?=:)",
)
const NOW =
  "first|first of all first|instead|right now|right away|immediately|now|next|before that|before anything else|before everything else|asap|as soon as possible|rather|zuerst|als erstes|erst|erstmal|erst mal|vorher|stattdessen|lieber|jetzt|sofort|als nächstes"
const FIRST = begins(NOW)
const LAST = ends(`${NOW}|(?:the|a|our|your|top|the top) (?:new )?priority`)
// Work on something, not talk about it: "explain the login first" moves nothing.
const WORK = begins(
  "(?:(?:let's|lets|let us|lass uns|go and|please)\\s+)?(?:first |now |erst |erstmal |jetzt |bitte )?(?:go (?:and )?)?(?:put|have|do|fix|build|write|rewrite|add|make|finish|implement|create|handle|tackle|work on|get|take care of|look into|look after|sort out|figure out|deal with|see to|get rid of|finali[sz]e|stabili[sz]e|investigate|work through|solve|clean up|clean|refactor|redo|design|document|deploy|migrate|improve|polish|complete|ship|repair|resolve|address|debug|update|wrap up|set up|port|test|optimi[sz]e|replace|mach|mache|machen|bau|baue|bauen|reparier|repariere|reparieren|behebe|beheb|beheben|schreib|schreibe|schreiben|erledige|erledigen|teste|testen|implementiere?|implementieren|ändere|ändern|fixe|fixen|beende|beenden|überarbeite|überarbeiten|migriere|migrieren|aktualisiere|stell|stelle)|(?:let's|lets|let us|lass uns)",
)
const WORK_AT_END =
  /\s(?:machen|bauen|reparieren|beheben|schreiben|erledigen|testen|implementieren|ändern|fixen|beenden|überarbeiten|migrieren|fertigstellen)$/iu
const LETS = begins("let's|lets|let us|lass uns")
// Asks for words, or says how something is to behave: "show me the login first", "return the payments first".
const TALK = begins(
  "show|tell|talk|discuss|wait|stay|stick|have a look|explain|return|give|print|list|read|open|look|use|check|ask|answer|describe|summari[sz]e|say|call|try|see|keep|put|sort|order|log|render|display|send|load|compare|find|think|remind|let|run|zeig|zeige|erklär\\p{L}*|sag|sage|gib|lies|nimm|prüf\\p{L}*|schau|frag|nenn\\p{L}*|beschreib\\p{L}*|fass",
)
// A sentence about something is no bare name of it.
const FINITE = has(
  "is|are|was|were|be|been|has|have|had|did|does|do|works?|worked|went|came|comes|ran|runs|broke|breaks|got|gets|goes|seems|looks|fails|passed|passes|need|needs|i|you|we|they|he|she|it|this|that|ist|sind|war|waren|hat|haben|geht|ging|läuft|lief|kam|kommt|ich|du|wir|\\p{L}+ed$",
)
const MAX_NAME_WORDS = 7
