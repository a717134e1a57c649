/**
 * True of a text that names a fault: an error, a crash, an exit code, or what somebody gets just now. Nobody has decided
 * that, so a mem has to cover most of what is said. The list is closed: words that may as well be meant (`slow`, `empty`,
 * `overnight`) are left to the weight of the match. Who asks for a choice or a rule asks for what was decided.
 */
export function saysFault(text: string): boolean {
  const said = text.slice(0, MAX_CHARS)
  return FAULT.test(said) && !isChoice(said)
}

/** True of a question why something is or does what it does: it says neither of a choice nor of somebody who made it. */
export function asksAboutState(text: string): boolean {
  return STATE.test(text) && !isChoice(text)
}

/** "We" who see something go wrong have not decided that. */
function isChoice(text: string): boolean {
  return CHOICE.test(text.replace(WE_SEE, " "))
}

// What follows may be a pasted log.
const MAX_CHARS = 4000
const word = (words: string, flags: string) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}'-])(?:${words})(?![\p{L}\p{N}'-])`, flags)

// English, German, Dutch, French, Spanish; then numbers that only a fault has.
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
