import { asksWhy } from "../../knowledge/recall/asks-why.ts"

/**
 * True of a message that asks what is known: why, what, how, which … A request may have a question mark too ("could you
 * check that?"), and says of no word that it is asked about; who asks about something in front of both ("what does this
 * trace say?") wants it looked at.
 */
export function isAsking(text: string): boolean {
  return asksWhy(text) || (ASKING.test(text) && !POINTING.test(text))
}

const POINTING =
  /(?<![\p{L}\p{N}])(?:this|these|diese[rsmn]?|hier|dit|deze|cette|ceci|esto|questo)(?![\p{L}\p{N}])/iu

// English, German, Dutch, French, Spanish, Portuguese, Italian, Russian; then Chinese, Japanese, Korean, without blanks.
const ASKING = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:why|how come|what|what's|which|where|who|how|remind|regarding|` +
    "(?:do|did|does|are|were|is|was|should|shall) (?:we|our|there)|" +
    "when (?:do|does|did|is|are|was|will|should)|" +
    "warum|wieso|weshalb|wozu|welche[rsmn]?|wie|wo|wer|wann|waarom|welke?|hoe|waar|wat|" +
    "pourquoi|quel(?:le)?s?|où|quand|por qué|cómo|cuál|dónde|cuándo|qué|por que|como|qual|onde|quando|o que|" +
    "perché|quale|dove|che cosa|почему|зачем|как|какой|какая|какие|где|когда|что)" +
    String.raw`(?![\p{L}\p{N}])|为什么|为何|怎么|什么|哪|如何|なぜ|どうして|どの|どこ|何|왜|어떻게|무엇|어디`,
  "iu",
)
