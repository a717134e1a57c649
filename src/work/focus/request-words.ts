/**
 * The words by which a request is known, in English, German, Dutch, French and Spanish. What means something else in one of
 * the other languages stands in none of the lists.
 */

const HALT =
  "wait|hold on|hang on|stop|halt|pause|one (?:moment|sec|second|minute)|quick|warte|wart mal|moment|stopp|wacht(?: even)?|attends|attendez|une seconde|espera|un momento"
export const STOPS = begins(HALT)
export const ONLY_STOPS = new RegExp(
  `^(?:(?:ok|okay|no|nein|hm+|oh|actually)[,\\s]+)?(?:${HALT}|no|nope|nah|nein|nee|non)(?: a (?:second|sec|moment|minute)| mal| kurz)?[\\s,:!…-]*$`,
  "iu",
)
// Says nothing of what follows. "No dark mode" does, "no, dark mode" does not.
export const OPENING = begins(
  either(
    `${HALT}|a (?:second|sec|moment|minute)|ok|okay|alright|right|yes|yeah|(?:no|nope|nah|nein|nee|non)(?=\\s*$|[,:!-])|hm+|oh|ah|well|hey|hi|hello|sorry|please|actually|great|good|nice|cool|perfect|thanks|thank you|pls|plz|thx|so|and|but|also|just|now then|on second thought|you know what|yo|i think(?= we (?:should|need to|have to))`,
    "ja|gut|super|danke|bitte|ach|also|eigentlich|und|aber|na|hallo|entschuldigung|kurz|mal|doch",
    "oké|prima|bedankt|alsjeblieft|graag|nou|dus|maar|hoi",
    "d'accord|bon|alors|oui|merci|stp|svp|s'il te plaît|mais|en fait|finalement",
    "vale|bueno|gracias|por favor|pues|pero|oye|en realidad|mejor",
  ),
)
// Polite forms of a request, which may end in a question mark.
export const POLITE = begins(
  either(
    "(?:can|could|would|will) (?:you|u)(?: please| pls| just)?|can we(?: please)?|could we(?: please)?|would you mind|mind(?= \\p{L}+ing )|how about(?: we| you)?|(?:it |that )?would be (?:great|nice|good|cool|awesome) if (?:you|we) could|why don't (?:we|you)|i(?:'d| would) rather have you(?: on)?|i (?:want|need) (?:you|u) to|i(?:'d| would) (?:like|love|prefer|want) you to|i(?:'d| would) like us to|i want us to|i (?:really )?need(?= (?:the|our|an?) )|i (?:want|would like|'d like|need) to(?= (?:focus|switch|work on|move|go|concentrate|start|prioriti))|i'd like to(?= (?:focus|switch|work on|move|go|concentrate|start|prioriti))",
    "(?:kannst|könntest|würdest|magst) du|können wir|könnten wir|ich möchte,? dass du|ich will,? dass du",
    "(?:kun|kan|zou|wil) je|kunnen we|zouden we",
    "(?:est-ce que )?tu (?:peux|pourrais)|(?:peux|pourrais)-tu|on peut|vous pouvez|pouvez-vous",
    "(?:me )?puedes|podrías|podemos|podríamos",
  ),
)
export const WE_SHOULD = begins(
  either(
    "(?:now )?(?:we|you)(?:'d| had)? (?:should|need to|have to|must|better|ought to|really need to|really should)|we(?:'ve| have) got to|we gotta|gotta",
    "wir (?:müssen|sollten|machen)|du (?:musst|sollst|solltest)",
    "(?:we|je) (?:moeten|moet)",
    "il faut|on doit|tu dois",
    "hay que|tenemos que|tienes que",
  ),
)
// The user's own doings, news, opinions, thanks, and questions without their mark.
export const TELLS = begins(
  `(?:${either(
    "i|i'm|im|i've|ive|i'll|i am|i was|he|she|they|it|it's|its|there|that|that's|those|these|this|who|what|what's|when|where|why|how|which|whose|is|are|was|were|did|does|do (?:you|we|i|they)|has|have|had|maybe|perhaps|possibly|should|shall|may|might|if|as|since|because|thanks|according|for the record|fyi|by the way|btw|remember|note|some(?:one|body)|every(?:one|body)|nobody|back then|we (?:(?!need)\\p{L}+ed|did|had|got|were|are)",
    "ich|er|sie|es|das (?:ist|war|geht|läuft)|da|dort|wer|was|wann|wo|warum|wie|welche[rs]?|ist|sind|war|hat|hast|haben|vielleicht|soll|sollen wir|falls|wenn|weil|laut|übrigens|jemand|man",
    "ik|hij|zij|het (?:is|was|werkt)|wie|wat|wanneer|waar|waarom|hoe|zijn|heeft|heb|hebben|misschien|omdat|iemand",
    "je|j'ai|j'|il (?!faut)|elle|ils|ça|c'est|qui|quoi|quand|où|pourquoi|comment|quel(?:le)?|peut-être|quelqu'un",
    "yo|él|ella|está|qué|quién|cuándo|dónde|por qué|cómo|cuál|quizás|porque|alguien",
  )})(?! (?:want|need) (?:you|us) to)`,
)
export const REFUSES = has(
  either(
    "^no|^kein\\p{L}*|don't|do not|dont|doesn't|doesnt|won't|wont|never|not|nothing|none|neither|nor|cannot|can't|cant|shouldn't|no need|without|myself|ourselves|by hand|on my own|yourself? out|leave (?:it|that|this|them|.* (?:alone|out))",
    "nicht|kein\\p{L}*|nie|niemals|selbst|selber|ohne|lieber ich",
    "niet|geen|nooit|zelf|zonder",
    "ne|n'\\p{L}+|pas|jamais|sans|moi-même",
    "no (?:toques|hagas|empieces|lo|la|me|te|se|es|hay|quiero|vamos)|nunca|sin|tampoco|lo hago yo|yo mismo",
  ),
)
export const LATER = has(
  either(
    "later|tomorrow|tonight|eventually|someday|some day|at some point|next (?:week|month|time|sprint|release)|(?:when|once|after|as soon as|if|until|unless|in case)(?! (?:possible|asap))|afterwards?|after that|then we|not yet|another time",
    "später|morgen|irgendwann|nachher|danach|hinterher|sobald|nachdem|falls|wenn|bis|nächste\\p{L}* (?:woche|mal|monat|sprint)",
    "straks|ooit|daarna|zodra|nadat|volgende (?:week|keer|maand)",
    "plus tard|demain|après|ensuite|dès que|quand|lorsque|un jour",
    "más tarde|mañana|luego|después|cuando|algún día|en cuanto",
  ),
)
// What is to be left: never the target, and what follows is.
export const AWAY = begins(
  `(?:${either(
    "one (?:more )?thing first|first things first|but first|stop|quit|leave|drop|forget|skip|park|pause|postpone|ignore|interrupt|shelve|scrap|nvm|set aside|put aside|abandon|never mind|nevermind|enough (?:of|with|about)|instead of|rather than|put .* (?:on ice|aside)|before(?! (?:that|anything|everything))",
    "vergiss|lass|lasst|überspring\\p{L}*|statt|anstatt|bevor|genug",
    "laat|vergeet|in plaats van|voordat",
    "laisse|laissez|oublie|arrête|abandonne|au lieu de|plutôt que|avant de",
    "deja|dejad|olvida|abandona|en vez de|en lugar de|antes de",
  )})(?! (?:uns|me|us|ons)(?![\\p{L}]))`,
)
// What was meant is known: "drop this".
export const AWAY_FROM_HERE =
  /(?:this|that|it|what you(?:'re| are)? do(?:ing)?|everything|das|dies|alles|dit|dat|ça|eso|esto)(?: (?:for now|now|liegen|even|maar|erstmal))*$/iu
export const WAITS = has(
  "on hold|can wait|could wait|has to wait|have to wait|must wait|kann warten|muss warten|kan wachten|moet wachten|peut attendre|attendra|puede esperar",
)
export const PRONOUN =
  /^(?:it|them|that|this|these|those|that one|this one|es|sie|das|die|dat|dit|ça|den|eso|esto)?$/i
export const SET_AGAINST =
  /\s+(?:instead of|rather than|before(?! (?:that|this|anything|everything|we|you)\b)|(?<!\b(?:swap|switch|move|go|jump|shift|change|come|turn|pivot) )over|ahead of|except|besides|anstatt|statt|bevor|außer|anstelle|in plaats van|au lieu d[eu']|plutôt que|en vez de|en lugar de)\s.*$/iu
/** "Statt der Liste bitte das Captcha": what comes first is what is not wanted. */
export const SET_AGAINST_FIRST =
  /^(?:statt|anstatt|instead of|in plaats van|au lieu d[eu']|en vez de|en lugar de)\s.{1,60}?\s(?=(?:bitte|lieber|jetzt|erst|zuerst|please|now|do|graag|nu|fais|haz)\s)/iu
const ASIDE =
  "(?:jetzt|bitte|erst|erstmal|zuerst|lieber|wieder|zurück|nu|eerst|maar|even|terug|d'abord|primero|ahora)"
export const MOVE = begins(
  [
    "(?:(?:let's|lets|let us|lass uns|laten we|now|first|instead|rather|please|jetzt|erst|erstmal|zuerst|bitte)\\s+)*(?:" +
      [
        "switch(?:ing)?(?: over| back| now| instead| context)? to",
        "go(?:ing)?(?: back| over| straight| on)? to",
        "mov(?:e|ing)(?: on| over| back| now)? to",
        "(?:jump|turn|return|get back|come back|change|shift|pivot|hop|skip)(?:ing)?(?: over| back| now| ahead| forward)? to",
        "(?:jump|hop) on",
        "(?:go )?(?:back|over|on) to",
        "shift (?:the |your )?focus to",
        "go (?:for|with)",
        "swap(?: over)? to",
        "time (?:to work on|for)",
        "(?:re)?focus(?:ing)?(?: now| only| instead)? on",
        "concentrate(?: now)? on",
        "prioriti[sz]e",
        "(?:on|continue|carry on|go on|proceed|go ahead|keep going|get on)(?: now)? with",
        "(?:start|begin)(?: now)? (?:with|on|work(?:ing)? on)",
        "(?:take|pick) up",
        "give priority to",
        "(?:work|get to work|crack on)(?: now| instead)? on(?=.*\\b(?:first|now|instead|next)\\b)",
        `wechs(?:le|el|eln)(?: ${ASIDE})* (?:zu|zur|zum|auf)`,
        `(?:geh|gehe|gehen wir|spring|kehr)(?: ${ASIDE})* (?:zu|zur|zum)`,
        "(?:zurück|weiter)(?: geht'?s)? (?:zu|zur|zum|mit)",
        `mach(?:e|en wir)?(?: ${ASIDE})* (?:mit|bei)`,
        `(?:fang|beginn\\p{L}*|starte?)(?: ${ASIDE})* mit`,
        `kümmer\\p{L}* dich(?: ${ASIDE})* um`,
        `konzentrier\\p{L}* dich(?: ${ASIDE})* auf`,
        "priorisier\\p{L}*",
        "(?:zieh|ziehe|wir ziehen)(?=.* vor$)|(?:pak|neem)(?=.* op$)",
        "(?:kurz |nog |even )?(?:das|den|die|de|het|the)(?=.* (?:vorziehen|drannehmen|oppakken)$)",
        `ga(?: ${ASIDE})* (?:verder met|door met|aan de slag met|naar)`,
        `(?:schakel|stap)(?: ${ASIDE})* over (?:naar|op)`,
        `(?:verder|begin|start)(?: ${ASIDE})* met|terug naar|richt je op`,
        "(?:on )?pass(?:e|er|ons|ez) (?:plutôt |maintenant |d'abord )?(?:à|au|aux|sur)|(?:reviens|retourne|retour) (?:à|au|aux|sur)|bascule sur",
        "(?:concentre-toi sur|occupe-toi d(?:e|u|es|')|t'occuper d(?:e|u|es|')|commence par|continue avec)",
        "(?:pasa|pasar|pasemos|cambia|cambiar|vuelve|volver) (?:ahora )?(?:a|al)|(?:céntrate|concéntrate) en|ocúpate del?",
        "(?:empieza|empezar) (?:con|por)|(?:continúa|sigue|vamos) con|prioriza",
      ].join("|") +
      ")",
    // German puts the verb last.
    `dich(?: ${ASIDE})* um(?=.* kümmern$)`,
    `(?:${ASIDE}\\s+)*(?:mit|an)(?=.* (?:weiter|weitermachen|weiterarbeiten|anfangen|beginnen|arbeiten)$)`,
  ].join("|"),
)
const PLANS =
  "(?:quick )?change of plans?|plan change|priority change|new (?:plan|priority|focus|task)|(?:top )?priority|prio|change of mind|changed my mind|planänderung|planwijziging|changement de plan|on change|cambio de planes?"
export const PLAN = begins(
  `(?:${PLANS}|next(?: up)?|up next|now|first|switch|instead|jetzt|zuerst|als nächstes|nu|eerst|maintenant|d'abord|ahora|primero)(?=:)|next (?:up )?is`,
)
export const ONLY_PLAN = new RegExp(`^(?:${PLANS})[\\s!:.-]*$`, "iu")
const NOW = either(
  "first|first of all first|instead|right now|right away|straight away|immediately|now|next|before that|before anything else|before everything else|before (?:you|we) (?:do|go|start|continue|touch|move)\\s.*|real quick|time|asap|as soon as possible|rather",
  "zuerst|als erstes|erst|erstmal|erst mal|vorher|vorher noch(?: schnell)?|stattdessen|lieber|jetzt|sofort|als nächstes|zunächst",
  "eerst|nu|nu eerst|meteen|als eerste|liever",
  "d'abord|en premier|maintenant|tout de suite|plutôt|en priorité|avant tout",
  "primero|ahora|ahora mismo|cuanto antes|en su lugar",
)
export const FIRST = begins(NOW)
export const LAST = ends(`${NOW}|(?:the|a|our|your|top|the top) (?:new )?priority`)
export const ONLY_NOW = new RegExp(`^(?:${NOW})(?: please| pls| plz)?$`, "iu")
// Work on something, not talk about it: "explain the login first" moves nothing.
export const WORK = begins(
  `(?:(?:let's|lets|let us|lass uns|laten we|go and|please)\\s+)?(?:first |now |erst |erstmal |jetzt |bitte |mal )?(?:go (?:and )?)?(?:${either(
    "put|have|do|fix|build|rebuild|write|rewrite|add|make|finish|implement|create|generate|handle|tackle|work on|get|take care of|look into|look at|look after|sort out|figure out|deal with|see to|get rid of|finali[sz]e|stabili[sz]e|investigate|work through|solve|clean up|clean|refactor|rework|redo|design|document|deploy|migrate|translate|improve|polish|complete|ship|repair|resolve|address|debug|update|upgrade|wrap up|set up|speed up|port|test|optimi[sz]e|replace|retry|shrink|reduce",
    "mach|mache|machen|bau|baue|bauen|reparier|repariere|reparieren|behebe|beheb|beheben|schreib|schreibe|schreiben|erledige|erledigen|teste|testen|implementiere?|implementieren|ändere|ändern|fixe|fixen|beende|beenden|überarbeite|überarbeiten|migriere|migrieren|aktualisiere|stell|stelle",
    "doe|maak|bouw|schrijf|herstel|werk aan",
    "fais|faisons|corrige|répare|écris|termine|finis|implémente|génère|ajoute",
    "haz|hagamos|arregla|escribe|termina|implementa|genera|añade",
  )})|(?:let's|lets|let us|lass uns|laten we)`,
)
export const WORK_AT_END =
  /\s(?:machen|fertigmachen|bauen|aufbauen|einbauen|umbauen|reparieren|beheben|lösen|schreiben|erledigen|testen|implementieren|ändern|fixen|beenden|abschließen|überarbeiten|verbessern|übersetzen|migrieren|fertigstellen|maken|afmaken|doen|bouwen|oplossen|schrijven|versturen|vertalen|afronden)$/iu
export const LETS = begins("let's|lets|let us|lass uns|laten we")
// Asks for words, or says how something is to behave: "show me the login first", "return the payments first".
export const TALK = begins(
  either(
    "show|tell|know|talk|discuss|wait|stay|stick|have a look|explain|return|give|print|list|read|open|look|use|check|ask|answer|describe|summari[sz]e|say|call|try|see|keep|put|sort|order|log|render|display|send|load|compare|find|think|remind|let|run|leave|drop|skip",
    "zeig|zeige|erklär\\p{L}*|sag|sage|gib|lies|nimm|prüf\\p{L}*|schau|frag|nenn\\p{L}*|beschreib\\p{L}*|fass",
    "leg|toon|vertel|zeg|geef|lees|vraag",
    "explique|montre|dis|donne|lis|regarde|demande",
    "explica|muestra|dime|lee|mira|pregunta",
  ),
)
// A sentence about something is no bare name of it.
export const FINITE = has(
  "is|are|was|were|be|been|has|have|had|did|does|do|works?|worked|went|came|comes|ran|runs|broke|breaks|got|gets|goes|seems|looks|fails|passed|passes|need|needs|i|you|we|they|he|she|it|this|that|ist|sind|war|waren|hat|haben|geht|ging|läuft|lief|kam|kommt|ich|du|wir|zijn|heeft|werkt|ik|est|sont|marche|elle|es|son|está|funciona|(?:fail|break|hang|crash|come|go|arrive|load|fire|appear|happen)$|\\p{L}+ed$",
)
/** "The leaks are more urgent", where something is to be left; and "the newsletter has to be first". */
export const MORE_URGENT =
  /^(?<name>.+?)\s+(?:is|are|ist|sind|zijn|est|sont|es|son)\s+(?:(?:now|jetzt|far|much|way|viel|veel|bien|mucho)\s+)?(?:(?:more|plus|más)\s+(?:urgent|important|pressing|urgente|importante)|wichtiger|dringender|belangrijker|urgenter)(?![\p{L}])/iu
export const MUST_BE_FIRST =
  /^(?<name>.+?)\s+(?:(?:must|has to|have to|needs to|need to)\s+(?:be|come|go|be done)\s+(?:first|next|now)|(?:muss|müssen|moet|moeten)\s+(?:jetzt\s+|nu\s+)?(?:zuerst|vorher|eerst)|(?:doit|doivent)\s+passer\s+(?:d'abord|en premier|avant)|(?:has|have|hat|haben|heeft)\s+(?:top\s+)?(?:priority|vorrang|priorität|voorrang)(?:\s+(?:now|jetzt|nu))?|needs?\s+(?:fixing|doing|to be (?:done|fixed))\s+(?:now|first|right now|asap|next)|(?:va|van)\s+primero|geht\s+vor|gaat\s+voor)$/iu
/** "Can the page be done first?" */
export const CAN_BE_FIRST =
  /^(?:can|could)\s+(?<name>.+?)\s+(?:be\s+(?:done|fixed|finished)|come|go)\s+(?:first|next|now)$/iu
/** "This can wait, the page can't." */
export const CANNOT_WAIT =
  /^(?<name>.+?)\s+(?:can't|cant|cannot|can not|kann nicht|kan niet)(?:\s+(?:wait|warten|wachten))?$/iu
/** "We're changing course: …" */
export const LEAD_IN =
  /^(?![^:]{0,60}\b(?:not|no|nicht|kein|niet)\b)[\p{L}' -]{0,40}?\b(?:chang(?:e|es|ing)|redirect|gears|urgent|priority|prio|plan|switch|instead|dringend|wichtig|urgence)\b[\p{L}' -]{0,20}:\s+/iu
/** "Work on this, not on that": what is meant is set against something else. */
export const CONTRAST = /,\s+(?:and\s+)?(?:not|nicht|niet|pas|no)\s/iu
/** "Before you go on do …", without a comma. */
export const BEFORE_GOING_ON =
  /^(?:antes de (?:seguir|continuar)|avant de continuer|before (?:you (?:go on|continue)|continuing|going on)|bevor du weitermachst|voordat je verder gaat)\s+/iu
export const PLEASE_AT_END =
  /[\s,]+(?:please|pls|plz|thanks|thx|bitte|danke|aub|alsjeblieft|graag|stp|svp|s'il te plaît|por favor)$/iu
/** Nothing but the word: what it is about was said before. */
export const ONLY_SWITCH =
  /^(?:please\s+)?(?:switch|wechsle|wechseln|schakel over)(?:\s+(?:over|now|please|pls|bitte|jetzt))*$/iu
/** "I need the page translated asap". */
export const WANTED_DONE =
  /^(?:i|we)\s+(?:really\s+)?(?:need|want|would like|'d like)\s+(?:to have\s+|to see\s+)?(?<name>.+?)\s+(?:done|ready|out|working|\p{L}+ed)\s+(?:now|first|next|asap|right away|right now|immediately|before\s.+)$/iu
/** What comes behind says more of what was named before it: "a link to the login". */
export const BELONGING =
  /\s(?:to|in|on|for|from|of|with|at|into|by|about|zu|zur|zum|im|auf|für|von|vom|mit|bei|über|voor|van|op|met|naar|pour|dans|sur|avec|du|des|para|en|del|con|sobre)\s.*$/iu
export const MAX_NAME_WORDS = 7
/** Whoever asks for something is brief; what is longer was pasted. */
export const MAX_SENTENCE_CHARS = 600
export const MAX_END_CHARS = 4000

/** The alternatives of several languages as one. */
function either(...words: string[]): string {
  return words.join("|")
}

/** A whole alternative of words, at a clause's beginning. */
function begins(words: string): RegExp {
  return new RegExp(`^(?:${words})(?![\\p{L}\\p{N}])[\\s:]*`, "iu")
}

function ends(words: string): RegExp {
  return new RegExp(
    `[\\s,]+(?:${words})(?:[\\s,]+(?:please|pls|plz|thanks|thank you|bitte|danke|then|ok|okay|stp|svp|graag|por favor))?[\\s!.]*$`,
    "iu",
  )
}

function has(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, "iu")
}
