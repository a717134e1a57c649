import { correctionIn, type MessageContext, ownSentences } from "../../shared/text/corrections.ts"
import { isTelling } from "./same-subject.ts"

export interface RulesInMessage {
  /** Sentences that are certainly standing instructions: they are saved at once. */
  certain: string[]
  /** Instructions that no longer hold: "you no longer need to sign commits" gives "sign commits". */
  ended: string[]
  /** A sentence that may be a rule: the model is asked to decide. Undefined if there is a certain rule or no candidate. */
  possible: string | undefined
}

/** Finds standing instructions in a user's message, without a model. Questions, quotations, code and ideas do not count. */
export function findRules(message: string, context: MessageContext = {}): RulesInMessage {
  const sentences = ownSentences(message, LIMITS).filter((sentence) => !isNoInstruction(sentence))
  const ended = sentences.flatMap((sentence) => ENDED.exec(withoutOpening(sentence))?.[1] ?? [])
  const own = ABOUT_PRODUCT.some((cue) => cue.test(message.slice(0, LIMITS.maxChars))) ? [] : sentences
  const certain = own.filter((sentence) => isCertain(sentence) && !ENDED.test(withoutOpening(sentence)))
  if (certain.length > 0)
    return {
      ended,
      certain: certain.flatMap(splitInstruction).slice(0, MAX_RULES),
      possible: undefined,
    }
  const possible =
    sentences.find((sentence) => POSSIBLE.some((cue) => cue.test(sentence))) ??
    correctionIn(message, context)?.sentence
  return { certain: [], ended, possible }
}

function isCertain(sentence: string): boolean {
  const clause = withoutOpening(sentence)
  const core = clause.replace(/,? (?:even if|as in|to indicate)\b.*$/i, "")
  const isClear = CERTAIN.some((cue) => cue.test(clause)) && !DOUBTFUL.some((cue) => cue.test(core))
  return isClear && isTelling(clause)
}

/** Splits rules that can change separately: "start functions with 'f_' and methods with 'm_'" is two rules. */
function splitInstruction(sentence: string): string[] {
  const orders = sentence.split(/,? and (?=remember to|always|never|make sure|please|don't)/i)
  if (orders.length > 1) return orders.flatMap(splitInstruction)
  const parts = sentence.split(/,? and (?:also )?/)
  if (parts.length < 2 || !parts.every((part) => VALUE.test(part))) return [sentence]
  const [first = "", ...others] = parts
  const [, verb] = VERB.exec(first) ?? []
  const [, subject] = SUBJECT.exec(first) ?? []
  if (verb === undefined) return [sentence]
  const completed = others.map((part) => {
    const named = subject === undefined ? part : part.replace(/\b(?:them|their names|the names?)\b/, subject)
    return VERB.test(named) ? named : `${verb} ${named}`
  })
  return [first, ...completed]
}

/** Returns the instruction without its introduction: "Also, from now on I'd like you to use pnpm" gives "use pnpm". */
export function instructionIn(rule: string): string {
  const core = withoutOpening(withoutOpening(rule).replace(LEAD, ""))
  return core.length > 0 ? core : rule
}

/** Removes opening words: "Also, please remember to always …" becomes "always …". */
function withoutOpening(sentence: string): string {
  let rest = sentence
  for (let before = ""; before !== rest; ) {
    before = rest
    rest = rest.replace(OPENING, "")
  }
  return rest
}

function isNoInstruction(sentence: string): boolean {
  return (
    sentence.length > MAX_CHARS || /\?\W*$/.test(sentence) || NO_INSTRUCTION.some((cue) => cue.test(sentence))
  )
}

/** Verbs that name a habit. Verbs such as "fix" and "run" are left out, because they mostly ask for something once. */
const HABIT =
  "(?:us(?:e|ing)|start(?:ing)?|begin(?:ning)?|end(?:ing)?|nam(?:e|ing)|prefix(?:ing)?|suffix(?:ing)?|prefer|avoid|import(?:ing)?|follow(?:ing)?|stick|adhere|keep|adopt(?:ing)?|utili[sz]e|remember)"
/** Verbs of habits or tasks: "add the decorator to all your functions" is a rule, "add all missing tests" is not. */
const HABIT_OR_TASK =
  "(?:add(?:ing)?|append|includ(?:e|ing)|incorporate|writ(?:e|ing)|put|make|have|annotate|document|implement(?:ing)?|ensure|apply|format|get|be)"
const YOURS =
  "(?:your (?!findings|plan|result|answer|report|summary|work|thoughts|changes)|names?|always|never|whenever)"
/** Words that make an instruction about all cases instead of one. */
const EVERY =
  "(?:(?:all|every|each|any) (?!available|steps?|fields?|three|two|four)|always|never|your|names?|in (?:this|our|the) (?:repo|repository|project|codebase)|whenever|everywhere|wherever)"
const NAMED = "(?:names?|functions?|methods?|class(?:es)?|variables?|arguments?|attributes?)"
const WANT =
  "\\bi(?:'d| would)? (?:really |also |strongly )?(?:want|like|need|prefer|expect|require|encourage|advise|urge|ask)(?:ed)? (?:you|us|everyone|all of us|that you) (?:to )?(?:also |please |always |make sure (?:to |that )?(?:you )?|ensure that |be sure to |continue to |get (?:in|into) the habit of |start |begin |include the habit of )*"

const OPENING =
  /^(?:(?:please|also|additionally|furthermore|moreover|and|but|so|oh|ok(?:ay)?|yes|yeah|no|now|just|first|second(?:ly)?|lastly|finally|next|then|well|actually|again|hey|instead|in addition|speaking of \w+|as a reminder|one (?:more|other|last|important)? ?thing|another thing|for example|by the way|btw|note|important|rule|as for [^,]{2,40}|(?:do |please )?remember(?: to| that)?|(?:please )?(?:make sure|be sure|ensure)(?: to| that)?(?: you)?|keep in mind(?: that| to)?|note that|don't forget to)(?:[,:;.\s-]+|$))/i

const LEAD =
  /^(?:(?:from now on(?:wards)?|going forward|moving forward),? )?i(?:'d like| want| need| would like) you to (?:start (?=\w+ing\b)|ensure that |make sure (?:that |to )?)?/i

/** Patterns of standing instructions. Each comment gives examples that match. */
const CERTAIN: readonly RegExp[] = [
  // "from now on, use pnpm", "end all names with '_x' going forward"
  /\b(?:from now on(?:wards?)?|from here on(?: out)?|going forward(?! with)|moving forward(?! with| to\b)|from this point (?:on|forward)(?:ward)?|henceforth(?! known)|in (?:the )?future,|for (?:all )?future (?:code|work|commits|sessions|projects|tasks|reference))(?!\s+(?:we|i) (?:could|might))/i,
  // "always run the linter", "never touch the generated files"
  /^(?:always|never)(?! ?mind\b) \w+/i,
  // "we always squash", "you must never push", "I want you to always …"
  /^(?:we|you|i|everyone|developers?|agents?|tests?|commits?)\b[^.,]{0,40}?\b(?:must|should|shall|will|need to|have to|want|like|prefer|expect|require|ask|'d|would|can)\b[^.,]{0,40}\b(?:(?:always|never)\b(?! (?:get|see|have|be)\b)|at all times|every time|each time|without exception)/i,
  /^we (?:always|never) (?!\w+ed\b|had|have|got|get|were|was|saw|did|want)\w+/i,
  // "I'd like you to start all method names with 'md_'"
  new RegExp(`${WANT}${HABIT}\\b.*\\b${EVERY}\\b`, "i"),
  new RegExp(`${WANT}${HABIT_OR_TASK}\\b.*\\b${YOURS}\\b`, "i"),
  // "when naming methods, start them with 'x_'", "whenever you commit, sign off"
  /^(?:whenever|every time|each time|any time) (?:(?:you|we)\b(?! (?:see|find|call|click))[^,]{2,60},? (?!(?:i|it|the)\b)\w+|(?:i|it|there)\b[^,]{2,60}, (?:please )?(?:always|never|make sure|don't|do not|use|you)\b)/i,
  new RegExp(
    `^(?:when|for) (?:it comes to )?(?:(?:naming|writing|defining|creating) (?!the|this|files)|you (?:name|write|define|create|commit|add)|your|(?:all |any |every |each )?(?:\\w+ )?\\w+ (?:names|functions|methods|classes|variables|arguments|attributes))\\b[^,]{0,50}, (?:please |always |you should |i want you to |i'd like you to |we )*${HABIT}\\b`,
    "i",
  ),
  // "our convention is to …", "we prefer named exports", "it is our policy to"
  /\b(?:our|the team'?s?|team|project|my|company|coding|one) (?:\w+ )?(?:conventions?|policy|policies|rules?|standards?|practices?|preferences?|guidelines?|style|habits?|requirements?)\b[^.]{0,30}\b(?:is|are|says?|requires?)\b (?:to (?!be\b)|that\b|not to\b|never\b|always\b)/i,
  /^(?:here |at \w+,? )?(?:we|i) (?:strictly |strongly |generally |really |usually )?(?:prefer|follow|insist on|stick to)\b (?!this|that|it\b|the\b|to (?:see|wait|do this)|option)/i,
  // "in this repo we commit the lock file"
  /^in (?:this|our) (?:repo|repository|project|codebase|team|code base|company),? (?:(?:we|you) (?:(?:only|also|all) )?(?:use|don't|do not|avoid|prefer|follow|stick|name|start|end|write|put|keep|commit|squash|sign|always|never|must|should|have to|want to (?:always|never|use|commit|keep))\b|always\b|never\b|please (?:always|never|don't|use|keep|prefer|avoid)\b|(?:all|every|each)\b[^.,]{0,40}\b(?:must|should|shall|has to|have to|needs? to)\b)/i,
  // "end all your function names with '_d'", "use snake_case for class names"
  new RegExp(
    `^(?:use|start|begin|end|prefix|suffix|avoid|include) .{0,40}\\b(?:all|every|each|any|your)\\b.{0,40}\\b${NAMED}\\b.*["'@_]`,
    "i",
  ),
  new RegExp(
    `^use (?:\\w+_case|\\w+Case|all uppercase|uppercase|lowercase)\\b.*\\b(?:names?|${NAMED})\\b`,
    "i",
  ),
  /^(?:names?|(?:\w+ )?(?:names|functions|methods|classes|variables|arguments|attributes|commits|tests|files|migrations)) (?:must|should|shall|need to|have to) (?:always|never|not|start|begin|end|have|use|contain|include|follow|be (?:in|named|prefixed|suffixed|written|signed))\b/i,
  // "don't ever amend"
  /^(?:don't|do not) ever\b/i,
]

/** Sentences that look like a standing instruction, but may ask for one thing, report events, or describe the product. */
const DOUBTFUL: readonly RegExp[] = [
  // Limited to the current task
  /\b(?:for now|this time|just this once|for (?:this|the) (?:task|pr|commit|session|test|moment)|right now|until (?:i|we)|(?:in|from|reach) this (?:pr|branch|commit|plan|file|table|test|function|class|component|page|case|line|point)|(?:merge|commit|push|finish|ship) (?:this|it|that))\b/i,
  // "always on top", "never got it to work", "always failing on CI"
  /^(?:always|never) (?:an?|the|this|on|in|at|again|got|had|seen|heard|saw|did|was|been|\w+ed|\w+ing)\b(?<!need|embed|feed)/i,
  // "always show the newest first", "never send two mails"
  /\b(?:always|never) (?:be |been )?(?:show|display|redirect|return|reach|send|store|hide|render|sort|open|close|load|refresh|retry|visible|await|log|cache|trim|validate|lock)/i,
  // "from now on the tests are green", "going forward the API will return 404"
  /\b(?:from now on|going forward|moving forward|in (?:the )?future|for all future \w+),? (?:the (?:\w+ ){1,2}|it |this |that |there |they |i )(?:will|is|are|can|may|was|has|does|works?)\b/i,
  // "if it might be needed in the future", "we always call it twice, that's the bug"
  /\b(?:needed|used|useful|change|changes|be) in (?:the )?future\b|\b(?:bugs?|broken|crash(?:es|ed)?|leaks?|problem|that's why)\b|\w\(\)/i,
  // "use all the icons from the new set", "add your name to the file"
  /\b(?:all|each|every one) (?:of )?the (?!time)|\byour name (?:to|in|into)\b/i,
  // "from now on we meet at 10"
  /\bfrom now on,? i'(?:ll|m)\b|\bfrom now on,? we (?!will|would|want|need|should|must|have to|always|never|only|don't|do not|use|name|write|start|end|put|keep|commit|follow|prefer|avoid)/i,
  // Describes the present state: "in that file", "these methods", "currently it lags behind"
  /\b(?:in|for|of) (?:that|these|those) (?!names)\w+|\b(?:currently|just added|at the moment|the new)\b/i,
  // "we require node 20 now, bump the engines field"
  /(?<!forward|now|future)[,;] (?:please )?(?:fix|rename|adapt|change|bump|list|wrap|remove|revert|print|replace|find|redo|move|throw|exit|otherwise|put|delete|implement|update|convert|add (?:the|a|an)\b)\b/i,
  // Features of a product: "users log in with their phone number"
  /\b(?:users?|guests?|customers?|players?|invoices?|tenants?|buttons?|sliders?|headers?|footers?|modals?|dialogs?|spinners?|screens?|pages?|sidebar|menus?|toasts?|forms?|payload|response|rows?|csv)\b(?! names?)/i,
]

/** Messages that describe a product or quote a prompt, a document or people: their "always" is not meant for this agent. */
const ABOUT_PRODUCT: readonly RegExp[] = [
  /^\W{0,4}(?:you are (?:an|a|the) \w+|requirements|acceptance criteria|user stor(?:y|ies)|spec(?:ification)?|as an? \w+,? i want|dear \w+,|rules of)\b/im,
  /\b(?:wrote|said|says|commented|suggests|answered|replied|error|output)[^\n:]{0,20}:\s*$/im,
  /\b(?:write|draft|create|improve|change|add) (?:\w+ ){0,3}(?:prompt|system prompt|readme|landing page|e-?mail|ticket|issue)\b/i,
]

/** Ends a rule: "forget the rule about …", "you no longer need to …" */
const ENDED =
  /^(?:forget (?:about )?(?:the |my |our |that )?(?:rule|instruction)s? (?:about |that |to |on )|i no longer want (?:this|the|that) rule:? |(?:you|we) no longer (?:need to|have to|use|want(?: to)?) |(?:you|we) (?:don't|do not) (?:need|have) to (?=.*\bany ?(?:more|longer)\b)|(?:there's |there is )?no need to (?=.*\bany ?(?:more|longer)\b))(.+?)(?:,? any ?(?:more|longer))?[.!]?$/i

const POSSIBLE: readonly RegExp[] = [
  /\b(?:please|pls)\b.{0,12}\b(?:don't|do not|never|always|avoid|stop|use the|prefer|keep)\b/i,
  /\b(?:remember|don't forget|do not forget|note this|keep in mind|for (?:the )?future|mark this)\b/i,
  /\b(?:always|never)\b(?! ?mind)/i,
  /\b(?:we|i|you) (?:(?:really|explicitly) )?(?:should be using|should (?:always|never|not)|shouldn't|chose|choose|choosed|decided|agreed|prefer|must not|only ever)\b/i,
  /\bwe (?:want|need) (?:all|every|each|to be|to (?:commit|keep|use|have))\b|\bi want (?:every|all|each)\b|\bwe are in\b/i,
  /\bdoesn't make sense to\b|\blet's not\b|\bno more\b|\bstop \w+ing\b/i,
  /\b(?:add|put|write|note|save|include) (?:this|that|it|guidance|a (?:note|rule|line|section))\b.{0,40}\b(?:claude\.md|agents\.md|memory|guidelines|rules|docs?)\b/i,
  // "in future please ask", "no default exports in this codebase", "we don't do barrel files", "keine Emojis mehr"
  /^in (?:the )?future\b|\bfrom now on\b|^(?:going|moving) forward,|\bas a rule:|^no (?:\w+ ){1,3}in (?:this|our|any|code)\b|\bwe (?:don't|do not) (?:do|use|write)\b|^keine? \w+ mehr\b/i,
  // "use pnpm, not npm", "can you always run the tests", "no emojis, ever"
  /\bus(?:e|ing) \S+(?: \w+){0,3},? not \w+|^(?:can|could) you (?:please )?(?:always|never)\b|\bever[.!]?$|^in (?:this|our) (?:repo|repository|project|codebase)\b.* (?:is|are|we) /i,
  /\buse .{2,40} (?:to|for) (?:store|storing|all|any|every|keep)\b|\bkeep (?:our|the|all|your) \w+ \w+ in\b/i,
  /(?:ように(?:して|変えて|$)|してください|しないで|いつも|必ず|今後)|(?:总是|永远|不要再|以后)|(?:英語|日本語)に$/,
  /\b(?:ab jetzt|immer(?! (?:noch|wieder|so))|niemals|bitte (?:nicht|kein)|dorénavant|toujours|jamais|a partir de ahora|siempre|nunca)\b/i,
]

/** Sentences that are not standing instructions: ideas, reports, doubts, offers, one step of the current task. */
const NO_INSTRUCTION: readonly RegExp[] = [
  /^(?:(?:and|but|so|ok|or|maybe|perhaps|hmm+|well),? )*(?:could|can|should|would|will|do|does|did|is|are|was|were|why|what|how|when are|when is|when do|where|who|which|have|has)\b(?! not\b)(?! you (?:please )?(?:always|never)\b)(?!.*[.!]$)/i,
  /\b(?:we|you|i|one|it|they) (?:could|might|may|can) (?:also )?(?:always|never)\b/i,
  /\b(?:it|this|that|they|he|she|there|which|the \w+(?: \w+)?) (?:is|are|was|were|will|would|has|have|had|'s|seems?|looks?|does|do)?\s?(?:always|never)\b/i,
  /\bi (?:have )?(?:never|always)\b(?! want)/i,
  /\bif (?:we|you|i) (?:always|never)\b|\b(?:i think|i guess|i wonder|maybe|perhaps|what if|suppose|imagine)\b/i,
]

/** A value: quoted, or written like code. */
const VALUE = /["'`“‘]\S+["'`”’]|\w_\w|\w_\b|\b_\w|@\w+/
const VERB = /\b(start|starts|begin|end|ends|use|prefix|suffix|name|add|import|include)\b/i
const SUBJECT = /\b((?:\w+ )?\w+ names)\b/i
const LIMITS = { maxChars: 6_000, maxSentences: 60 }
const MAX_CHARS = 400
const MAX_RULES = 5
