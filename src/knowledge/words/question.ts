import type { Mem } from "../../schemas/knowledge.ts"

/** True if a text asks for a reason that a decision or a false path may give. False for "why did you …?" and for faults. */
export function asksWhy(text: string): boolean {
  return WHY.test(text) && !OF_THE_ASKED.test(text) && !saysFault(text)
}

/** True if a text names a fault (an error, a crash, "I get …") and no choice. `slow` does not count: it may be intended. */
function saysFault(text: string): boolean {
  const said = text.slice(0, MAX_CHARS)
  return FAULT.test(said) && !isChoice(said)
}

/** True for a question about why something is as it is, without a word about a choice or about "us". */
export const asksAboutState = (text: string): boolean => STATE.test(text) && !isChoice(text)

/** True if a text is about a choice. The "we" in "we get an error" does not count. */
const isChoice = (text: string): boolean => CHOICE.test(text.replace(WE_SEE, " "))

/** True for questions with why, what, how and the like. False for "could you check that?" and "what does this trace say?". */
export const isAsking = (text: string): boolean => asksWhy(text) || (isQuestion(text) && !POINTING.test(text))

export const asksAboutFault = (text: string): boolean => isQuestion(text) && saysFault(text)

function isQuestion(text: string): boolean {
  const sentences = text.slice(0, MAX_CHARS).match(SENTENCE) ?? []
  return sentences.some((sentence) => (sentence.includes("?") ? ASKING : ASKING_FIRST).test(sentence))
}

export const REASONS: readonly Mem["kind"][] = ["decision", "false_path"]

const OF_THE_ASKED =
  /\b(?:why|how come|warum|wieso) (?:(?:did|do|are|were|have|would|hast|bist) )?(?:you|du)\b/i
// Words of eight European languages; then of Chinese, Japanese and Korean, which are written without spaces.
const WHY = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:why|how come|reasons?|reasoning|rationale|motivation|remind|` +
    "(?:point|idea|story|thinking|thought) (?:of|behind|with)|" +
    "(?:speaks?|spoke|arguments?|case) (?:for|against)|(?:benefit|advantage|upside|downside)s? of|trade-?offs?|" +
    "what (?:made|led|drove|brought|kept|held|stopped|convinced|happened)|" +
    "how did we (?:end|settle|arrive|get|come)|(?:did|have) we (?:decide|decided|settle|settled|choose|chosen|agree|agreed)|" +
    "warum|wieso|weshalb|weswegen|wozu|gr[uü]nd|gr[uü]nde|waarom|reden|pourquoi|raison|por qué|raz[oó]n|por que|motivo|" +
    "perché|почему|зачем|причина)" +
    String.raw`(?![\p{L}\p{N}])|为什么|为何|原因|なぜ|どうして|理由|왜|이유`,
  "iu",
)
const MAX_CHARS = 4000
const word = (words: string, flags: string) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}'-])(?:${words})(?![\p{L}\p{N}'-])`, flags)

// Words of English, German, Dutch, French and Spanish; then exit codes and HTTP errors.
const FAULT = word(
  "errors?|exceptions?|fail(?:s|ed|ing|ures?)?|crash(?:es|ed|ing)?|broken?|segfaults?|stack ?traces?|tracebacks?|" +
    "tim(?:es|ed|ing) out|hangs?|hung|my|I (?:get|see)|am I getting|" +
    "fehler|schlägt|fehlgeschlagen|hängt|abgestürzt|stürzt|kaputt|fout|faalt|mislukt|kapot|erreur|échoue|plante|fallo|falla|roto|" +
    "(?:exit )?code \\d+|[45]\\d\\d",
  "iu",
)
const STATE = word(
  "(?:why|how come) (?:is|are|does|do|did (?:the|my)|isn't|aren't|doesn't|can't|the|it)|(?:warum|wieso) (?:ist|sind)",
  "iu",
)
const WE_SEE = word(
  "we(?: are|'re)? (?:always |still |now |keep )?(?:get|getting|see|seeing|hit|hitting|run into|running into)",
  "giu",
)
const CHOICE = word(
  "we|our|ours|us|wir|uns|unser[a-z]*|wij|ons|onze|nous|notre|nos|nuestr[oa]s?|nosotros|" +
    "instead|rather|over|versus|vs|against|than|in favou?r|why (?:not|no|only)|and not|not (?:just|simply)|" +
    "have to|has to|need to|must|allowed|supposed|should|may|reasons?|rationale|motivation|" +
    "decide|decided|decision|choose|chose|chosen|settle|settled|agree|agreed|prefer|preferred|wanted|" +
    "statt|anstatt|lieber|stattdessen|plutôt|en lugar|in plaats",
  "iu",
)
const SENTENCE = /[^.!?\n]+[.!?]*/g

const POINTING =
  /(?<![\p{L}\p{N}])(?:this|these|diese[rsmn]?|hier|dit|deze|cette|ceci|esto|questo)(?![\p{L}\p{N}])/iu

const QUESTION_WORDS =
  "(?:why|how come|what|what's|which|where|who|how|remind|regarding|" +
  "(?:do|did|does|are|were|is|was|should|shall) (?:we|our|there)|" +
  "when (?:do|does|did|is|are|was|will|should)|" +
  "warum|wieso|weshalb|wozu|welche[rsmn]?|wie|wo|wer|wann|waarom|welke?|hoe|waar|wat|" +
  "pourquoi|quel(?:le)?s?|où|quand|por qué|cómo|cuál|dónde|cuándo|qué|por que|como|qual|onde|quando|o que|" +
  "perché|quale|dove|che cosa|почему|зачем|как|какой|какая|какие|где|когда|что)" +
  String.raw`(?![\p{L}\p{N}])`
const UNSPACED = "为什么|为何|怎么|什么|哪|如何|なぜ|どうして|どの|どこ|何|왜|어떻게|무엇|어디"
const ASKING = new RegExp(String.raw`(?<![\p{L}\p{N}])${QUESTION_WORDS}|${UNSPACED}`, "iu")
// A question word at the beginning, after a comma, or after a verb: "what made us drop it", "I forgot how we log in".
const ASKING_FIRST = new RegExp(
  String.raw`(?:^\s*|[,:;–-]\s*|\b(?:and|but|so|or|also|hey|hi|ok|know|forgot|forget|wonder|wondering|remember|recall|understand|sure|tell me|remind me|und|aber|weiß|et|mais|y|pero)\s+)${QUESTION_WORDS}|` +
    String.raw`\b(?:remind|regarding)\b|${UNSPACED}`,
  "iu",
)
