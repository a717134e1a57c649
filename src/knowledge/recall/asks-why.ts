import type { Mem } from "../../schemas/knowledge.ts"
import { saysFault } from "./fault.ts"

/**
 * True of a text that asks for the reason of something. What was decided or tried answers it, not what was noted. The reasons
 * of whoever is asked ("why did you change that?") are not looked up, and what goes wrong just now nobody has decided.
 */
export function asksWhy(text: string): boolean {
  return WHY.test(text) && !OF_THE_ASKED.test(text) && !saysFault(text)
}

/** The kinds of mems that say why. */
export const REASONS: readonly Mem["kind"][] = ["decision", "false_path"]

const OF_THE_ASKED =
  /\b(?:why|how come|warum|wieso) (?:(?:did|do|are|were|have|would|hast|bist) )?(?:you|du)\b/i
// English, German, Dutch, French, Spanish, Portuguese, Italian, Russian; then Chinese, Japanese, Korean, without blanks.
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
