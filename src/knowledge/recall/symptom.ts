/**
 * True of a question after the cause of what goes wrong just now: "why is the build red?", "why do I get a 404?". Nobody has
 * decided that, and its words (request, empty, fails) are in hundreds of mems. Who asks for a choice or a rule ("why do we …",
 * "… rather than …", "do I have to") asks for what was decided, whatever else the question says.
 */
export function isSymptom(text: string): boolean {
  const said = text.slice(0, MAX_CHARS)
  return (SYMPTOM.test(said) || OWN.test(said)) && !isChoice(said)
}

/** True of a question why something is or does what it does, that says neither of a choice nor of somebody who made it. */
export function asksAboutState(text: string): boolean {
  return STATE.test(text) && !isChoice(text)
}

function isChoice(text: string): boolean {
  return CHOICE.test(text) || isOurs(text)
}

/** Without the words that say how it goes wrong: what is left is what it goes wrong with. */
export function withoutSymptoms(text: string): string {
  return text.replace(SYMPTOMS, " ")
}

/** "We" who see something go wrong have not decided that. */
function isOurs(text: string): boolean {
  return OURS.test(text.replace(WE_SEE, " "))
}

// What follows may be a pasted log.
const MAX_CHARS = 4000
const word = (words: string, flags: string) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}'-])(?:${words.replace(/\s+/g, " ")})(?![\p{L}\p{N}'-])`, flags)

// What something does that does not work; then the same in German, Dutch, French and Spanish.
const GOES_WRONG =
  "fail(?:s|ed|ing|ures?)?|errors?|exceptions?|crash(?:es|ed|ing)?|red|broke|broken|breaking|hang(?:s|ing)?|hung|stuck|" +
  "freez(?:es?|ing)|frozen|slow(?:er|ly)?|empty|blank|missing|undefined|null|nan|flaky|tim(?:e|es|ed|ing) ?-?outs?|denied|" +
  "refused|rejected|garbled|corrupt(?:ed)?|truncated|duplicated|twice|conflicts?|segfaults?|leak(?:s|ing|ed)?|" +
  "wrong|weird|strange|unexpected(?:ly)?|suddenly|complain(?:s|ing)?|killed|panicking|deadlocks?|unreachable|" +
  "restarting|happen(?:s|ed|ing)?|disappear(?:s|ed)?|disconnected|disabled|expired|gone|stale|differs?|sometimes|randomly|" +
  "forever|immediately|overnight|halfway|" +
  "kaputt|fehler|schlägt|fehlgeschlagen|hängt|langsam|leer|abgestürzt|stürzt|fout|faalt|mislukt|kapot|traag|leeg|" +
  "échoue|échec|erreur|plante|lent|vide|falla|fallo|lento|vacío|roto"
// How one says so without such a word.
const COMPLAINT =
  "(?:is|are|was|were)n't (?:[a-z]+ing|[a-z]+ [a-z]+ing)|(?:does|do|did|ca)n't (?:it )?(?:work|find|start|load|exist)|" +
  "not (?:[a-z]+ing|found|pick|see|find|work|start|load)|" +
  "(?:is|are) never|(?:so|too) (?:long|early|late|many|often)|every time|last night|all the time|already in use|off by|" +
  "exit code|stop(?:s|ped)? working|[a-z0-9]+ (?:seconds|minutes|hours|percent)|after a (?:while|minute)|by itself"
// Which of them it is says what is meant.
const CODES = "code \\d+|[45]\\d\\d"
const SYMPTOM = word(`${GOES_WRONG}|${COMPLAINT}|${CODES}`, "iu")
const SYMPTOMS = word(GOES_WRONG, "giu")
const STATE = word(
  "(?:why|how come) (?:is|are|does|do|did (?:the|my)|isn't|aren't|doesn't|can't|the|it)|(?:warum|wieso) (?:ist|sind)",
  "iu",
)
// What one sees oneself.
const OWN = word("my|here|meine?[nmrs]?|mijn|mon|mes|mi", "u")
const OURS = word(
  "we|our|ours|us|wir|uns|unser[a-z]*|wij|ons|onze|nous|notre|nos|nuestr[oa]s?|nosotros",
  "iu",
)
const WE_SEE = word(
  "we(?: are|'re)? (?:always |still |now |keep )?(?:get|getting|see|seeing|have|having|hit|hitting|lose|losing|run into|running into)",
  "giu",
)
const CHOICE = word(
  "instead|rather|over|versus|vs|against|than|in favou?r|why (?:not|no|only|so many)|and not|not (?:just|simply|use)|" +
    "have to|has to|need to|must|allowed|supposed|should|can't (?:I|you)|may|reasons?|rationale|motivation|was wrong with|" +
    "there (?:no|only|two|both)|own|separate|both|by default|optional|deprecated|named|called|" +
    "decide|decided|decision|choose|chose|chosen|settle|settled|agree|agreed|prefer|preferred|wanted|" +
    "statt|anstatt|lieber|stattdessen|plutôt|en lugar|in plaats",
  "iu",
)
