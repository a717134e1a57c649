import { asksWhy } from "../../knowledge/recall/asks-why.ts"
import { saysFault } from "../../knowledge/recall/fault.ts"

/**
 * True of a message that asks what is known: why, what, how, which … A request may have a question mark too ("could you
 * check that?"), and says of no word that it is asked about; nor does one with such a word inside ("fix what it finds"). Who
 * asks about something in front of both ("what does this trace say?") wants it looked at.
 */
export function isAsking(text: string): boolean {
  return asksWhy(text) || (isQuestion(text) && !POINTING.test(text))
}

/** True of a question after a fault, also one in front of both. */
export function asksAboutFault(text: string): boolean {
  return isQuestion(text) && saysFault(text)
}

function isQuestion(text: string): boolean {
  const sentences = text.slice(0, MAX_CHARS).match(SENTENCE) ?? []
  return sentences.some((sentence) => (sentence.includes("?") ? ASKING : ASKING_FIRST).test(sentence))
}

// What follows may be a pasted log.
const MAX_CHARS = 4000
const SENTENCE = /[^.!?\n]+[.!?]*/g

const POINTING =
  /(?<![\p{L}\p{N}])(?:this|these|diese[rsmn]?|hier|dit|deze|cette|ceci|esto|questo)(?![\p{L}\p{N}])/iu

// English, German, Dutch, French, Spanish, Portuguese, Italian, Russian; then Chinese, Japanese, Korean, without blanks.
const WORDS =
  "(?:why|how come|what|what's|which|where|who|how|remind|regarding|" +
  "(?:do|did|does|are|were|is|was|should|shall) (?:we|our|there)|" +
  "when (?:do|does|did|is|are|was|will|should)|" +
  "warum|wieso|weshalb|wozu|welche[rsmn]?|wie|wo|wer|wann|waarom|welke?|hoe|waar|wat|" +
  "pourquoi|quel(?:le)?s?|où|quand|por qué|cómo|cuál|dónde|cuándo|qué|por que|como|qual|onde|quando|o que|" +
  "perché|quale|dove|che cosa|почему|зачем|как|какой|какая|какие|где|когда|что)" +
  String.raw`(?![\p{L}\p{N}])`
const UNSPACED = "为什么|为何|怎么|什么|哪|如何|なぜ|どうして|どの|どこ|何|왜|어떻게|무엇|어디"
const ASKING = new RegExp(String.raw`(?<![\p{L}\p{N}])${WORDS}|${UNSPACED}`, "iu")
// At the beginning, behind a comma, or behind somebody who wants to know: "what made us drop it", "I forgot how we log in".
const ASKING_FIRST = new RegExp(
  String.raw`(?:^\s*|[,:;–-]\s*|\b(?:and|but|so|or|also|hey|hi|ok|know|forgot|forget|wonder|wondering|remember|recall|understand|sure|tell me|remind me|und|aber|weiß|et|mais|y|pero)\s+)${WORDS}|` +
    String.raw`\b(?:remind|regarding)\b|${UNSPACED}`,
  "iu",
)
