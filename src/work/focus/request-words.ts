import { begins, either, ends, has } from "./patterns.ts"

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
    `${HALT}|a (?:second|sec|moment|minute)|ok|okay|alright|right|yes|yeah|(?:no|nope|nah|nein|nee|non)(?=\\s*$|[,:!-])|hm+|oh|ah|well|hey|hi|hello|sorry|please|actually|(?:great|good|nice|cool|perfect)(?! (?:work|job|start|progress)(?![\\p{L}]))|thanks|thank you|pls|plz|thx|so|and|but|also|just|i mean|in that case|now then|on second thought|you know what|yo|i(?:'d say| think| guess| believe| feel)(?: that)?(?= .*(?:should|must|needs? to|has to|have to) )`,
    "ja|gut|super|danke|bitte|dann|ach|also|eigentlich|und|aber|na|hallo|entschuldigung|kurz|mal|doch",
    "oké|prima|bedankt|alsjeblieft|graag|nou|dus|maar|hoi",
    "d'accord|bon|alors|oui|merci|stp|svp|s'il te plaît|mais|en fait|finalement",
    "vale|bueno|gracias|por favor|pues|pero|oye|en realidad|mejor",
  ),
)
// Polite forms of a request, which may end in a question mark.
export const POLITE = begins(
  either(
    "(?:can|could|would|will) (?:you|u)(?: please| pls| just)?|can we(?: please)?|could we(?: please)?|would you mind|what if you|(?:are|would) you (?:be )?able to|(?:you|u) can(?= (?:do|take|start|work|fix|go)(?![\\p{L}]))|mind(?= \\p{L}+ing )|how about(?: we| you)?|(?:i|we)(?:'d| would)? (?:prefer|rather|like|love|appreciate|be happy|want)(?: it)?(?: if| that)? (?:you|u)(?: could| would| to| can)?|(?:it |that )?would be (?:great|nice|good|cool|awesome) if (?:you|we) could|why don't (?:we|you)|i(?:'d| would) rather have you(?: on)?|i (?:want|need) (?:you|u) to|(?:do you |would you )?think (?:you|we) could|i(?:'d| would) (?:like|love|prefer|want) you to|i(?:'d| would) like us to|i want us to|i (?:really )?need(?= (?:the|our|an?) )|(?:(?:i'm |we're )?(?:gonna|going to)|i'll|we'll) need(?! to)|i (?:want|would like|'d like|need) to(?= (?:focus|switch|work on|move|go|concentrate|start|prioriti))|i'd like to(?= (?:focus|switch|work on|move|go|concentrate|start|prioriti))",
    "(?:mir wäre(?: es)? lieber|es wäre (?:gut|schön|super|toll|besser)|ich fände es (?:gut|besser)),? (?:wenn )?(?:du|wir)(?: (?:machst|machen|nimmst|nehmen|baust|bauen))?|(?:kannst|könntest|würdest|magst) du|können wir|könnten wir|(?:ich|wir) (?:möchte|will|hätte gern|hätte gerne|wünsche mir|wollen|möchten),? dass du",
    "(?:kun|kan|zou|wil) je|kunnen we|zouden we",
    "(?:est-ce que )?tu (?:peux|pourrais)|(?:peux|pourrais)-tu|on peut|vous pouvez|pouvez-vous",
    "(?:me )?puedes|podrías|podemos|podríamos",
  ),
)
export const WE_SHOULD = begins(
  either(
    "(?:now )?(?:we|you)(?:'d| had)? (?:really |definitely |just )?(?:should|need to|have to|must|better|ought to)(?: really| definitely| just)?|we(?:'ve| have) got to|we gotta|gotta",
    "wir (?:müssen|sollten|machen)|du (?:musst|sollst|solltest)",
    "(?:we|je) (?:moeten|moet)",
    "il faut|on doit|tu dois",
    "hay que|tenemos que|tienes que",
  ),
)
/** "We'll switch to it": a plan of the team, or what is to be done now, where that is said. */
export const WE_WILL = begins("(?:we'll|we will|we're going to|we are going to|wir werden)(?! need)")
/** "Instead" and "next" are also said of what a plan exchanges. */
export const SAYS_NOW = ends(
  "now|right now|right away|straight away|immediately|asap|first|today|jetzt|sofort|zuerst",
)
const SEASONS =
  "spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|q[1-4]|20\\d\\d"
/** A day or a season that is to come. */
export const ON_A_DAY = has(
  `(?:in|on|by|from|until|next|this coming) (?:the )?(?:early |late )?(?:${SEASONS})|in (?:an?|a few|some|\\d+|two|three|four|six) (?:days?|weeks?|months?|quarters?|years?)`,
)
/** "In the table, put the page first": where something is to stand. */
export const PLACE =
  /^(?:in|on|at|under|inside|within|above|below|auf|unter|über|im|am)\s+(?!\S+\s+(?:meantime|meanwhile|moment|end|case|way|morning|afternoon|evening|first place|long run|same time|other hand|side)(?![\p{L}]))(?:the|our|my|your|each|every|an?|that|this|all|der|dem|den|jeder|jedem)\s+\S+(?:\s+\S+){0,3}$/iu
/** What is said of places: not work, but how something is to look. */
export const PLACES = begins(
  "put|have|make|get|start|begin|move|bring|pull|push|set|place|stell\\p{L}*|setz\\p{L}*",
)
// The user's own doings, news, opinions, thanks, and questions without their mark.
export const TELLS = begins(
  `(?:${either(
    "i|i'm|im|i've|ive|i'll|i am|i was|he|she|they|it|it's|its|there|that|that's|those|these|this|who|what|what's|when|where|why|how|which|whose|is|are|was|were|did|does|do (?:you|we|i|they)|has|have|had|maybe|perhaps|possibly|should|shall|may|might|if|as|since|because|thanks|according|for the record|fyi|by the way|btw|remember|note|some(?:one|body)|every(?:one|body)|nobody|back then|we (?:(?!need)\\p{L}+ed|did|had|got|were|are)",
    "ich|er|sie|es|das (?:ist|war|geht|läuft)|da|dort|wer|was|wann|wo|warum|wie|welche[rs]?|ist|sind|war|hat|hast|haben|vielleicht|soll|sollen wir|falls|wenn|weil|laut|übrigens|jemand|man",
    "ik|hij|zij|het (?:is|was|werkt)|wie|wat|wanneer|waar|waarom|hoe|zijn|heeft|heb|hebben|misschien|omdat|iemand",
    "je|j'ai|j'|il (?!faut)|elle|ils|ça|c'est|qui|quoi|quand|où|pourquoi|comment|quel(?:le)?|peut-être|quelqu'un",
    "yo|él|ella|está|qué|quién|cuándo|dónde|por qué|cómo|cuál|quizás|porque|alguien",
  )})(?! (?:want|need) (?:you|us|u) (?:to|on))`,
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
    "later|tomorrow|tonight|eventually|someday|some day|at some point|next (?:week|month|quarter|year|time|sprint|release)|(?:when|(?<!at )once|(?<!(?:go|look) )after|as soon as|if|until|unless|in case)(?! (?:possible|asap))|afterwards?|(?<!(?:go|look) )after that|then we|not yet|another time",
    "später|morgen|irgendwann|nachher|danach|hinterher|sobald|nachdem|falls|wenn|bis|nächste\\p{L}* (?:woche|mal|monat|sprint)",
    "straks|ooit|daarna|zodra|nadat|volgende (?:week|keer|maand)",
    "plus tard|demain|après|ensuite|dès que|quand|lorsque|un jour",
    "más tarde|mañana|luego|después|cuando|algún día|en cuanto",
  ),
)
// What is to be left: never the target, and what follows is.
export const AWAY = begins(
  `(?:${either(
    "one (?:more )?thing first|first things first|but first|stop|quit|leave|drop|forget|skip|park|pause|postpone|ignore|interrupt|shelve|scrap|hold off(?: on| with)?|nvm|set aside|put aside|abandon|never mind|nevermind|enough (?:of|with|about)|instead of|rather than|(?:do not|don't|dont) (?:continue|go on|carry on|keep going|finish|bother)|you can (?:leave|drop|skip|forget|stop|park|ignore)|(?:i )?(?:don't|dont|do not) (?:care|worry) about|enough \\p{L}+ for (?:now|today|one day|the day)|put .* (?:on ice|aside|off)|before(?! (?:that|anything|everything))|let .+ (?:be|rest|sit)(?: for now)?$",
    "(?:stell|leg|schieb|pack)\\p{L}* .* (?:zurück|hintan|beiseite|weg|auf|zur seite|nach hinten)|nicht (?:weiter|mehr) mit|hör(?:t)? auf mit|vergiss|lass|lasst|überspring\\p{L}*|statt|anstatt|bevor|genug",
    "laat|vergeet|in plaats van|voordat",
    "laisse|laissez|oublie|arrête|abandonne|au lieu de|plutôt que|avant de",
    "deja|dejad|olvida|abandona|en vez de|en lugar de|antes de",
  )})(?! (?:uns|me|us|ons)(?![\\p{L}]))`,
)
// What was meant is known: "drop this".
export const AWAY_FROM_HERE =
  /(?:this|that|it|what you(?:'re| are)? do(?:ing)?|everything|das|dies|alles|dit|dat|ça|eso|esto)(?: (?:for now|now|liegen|even|maar|erstmal))*$/iu
export const WAITS = has(
  "(?:liegen ?lassen|ruhen lassen|sein lassen|zurückstellen|beiseite legen|beiseitelegen|pausieren|verschieben|aufschieben)$|(?:is|are|ist|sind)(?: \\p{L}+)? (?:egal|unwichtig|zweitrangig|less (?:important|urgent))|(?:doesn't|don't|does not|do not) matter|(?:isn't|aren't|is not|are not|not) (?:going anywhere|urgent|that urgent|important right now)|won't run away|(?:läuft|laufen)(?: uns)? nicht weg|no rush|keine eile|on hold|(?:is|are|ist|sind) (?:paused|pausiert)|can wait|could wait|has to wait|have to wait|must wait|kann warten|muss warten|kan wachten|moet wachten|peut attendre|attendra|puede esperar",
)
export const PRONOUN =
  /^(?:it|them|that|this|there|with (?:it|that|them)|these|those|that one|this one|es|damit|sie|das|die|dat|dit|ça|den|eso|esto)?$/i
export const SET_AGAINST =
  /\s+(?:instead of|rather than|before(?! (?:that|this|anything|everything|we|you)\b)|(?<!\b(?:swap|switch|move|go|jump|shift|change|come|turn|pivot|start|begin)(?: me| us)? )over|ahead of|except|besides|anstatt|statt|bevor|außer|anstelle|in plaats van|au lieu d[eu']|plutôt que|en vez de|en lugar de)\s.*$/iu
/** "Statt der Liste bitte das Captcha": what comes first is what is not wanted. */
export const SET_AGAINST_FIRST =
  /^(?:statt|anstatt|instead of|in plaats van|au lieu d[eu']|en vez de|en lugar de)\s.{1,60}?\s(?=(?:bitte|lieber|jetzt|erst|zuerst|please|now|do|graag|nu|fais|haz)\s)/iu
const PLANS =
  "(?:quick )?change of (?:plans?|direction|course|focus|priorit(?:y|ies)|topic)|(?:different|other|new) (?:topic|direction)|themenwechsel|kurswechsel|richtungswechsel|neue(?:r|s)? (?:plan|prio|priorität|fokus|thema|aufgabe)|plan change|priority change|new (?:plan|priority|focus|task|job|assignment)(?: for you)?|(?:top )?priority|prio|change of mind|(?:i(?:'ve| have)? )?changed my mind|planänderung|planwijziging|changement de plan|on change|cambio de planes?"
export const PLAN = begins(
  `(?:${PLANS}|next(?: up)?|up next|now|first|switch|instead|jetzt|zuerst|als nächstes|nu|eerst|maintenant|d'abord|ahora|primero)(?=:)|next (?:up )?is`,
)
export const ONLY_PLAN = new RegExp(`^(?:${PLANS})[\\s!:.-]*$`, "iu")
const NOW = either(
  "first|first of all first|first thing|at once|pronto|instead|right now|right away|straight away|immediately|now|next|before (?:that|this)|before anything else|before everything else|before (?:you|we) (?:do|go|start|continue|carry|proceed|finish|keep|touch|move)(?:\\s.*)?|real quick|time|asap|as soon as possible|rather",
  "zuerst|ab jetzt|ab sofort|als (?:aller)?erstes|erst|erstmal|erst mal|vorher|vorher noch(?: schnell)?|stattdessen|lieber|jetzt|sofort|als nächstes|zunächst",
  "eerst|nu|nu eerst|meteen|als eerste|liever",
  "d'abord|en premier|maintenant|tout de suite|plutôt|en priorité|avant tout",
  "primero|ahora|ahora mismo|cuanto antes|en su lugar",
)
const AT_ONCE = "quickly|real quick|kurz mal|mal kurz|mal eben|mal schnell|schnell mal|ganz schnell"
export const FIRST = begins(`${NOW}|${AT_ONCE}`)
/** Behind the polite words, and says nothing: "could we maybe do …". */
export const BETWEEN = begins(
  "maybe|perhaps|possibly|also|just|simply|kindly|please|pls|plz|vielleicht|bitte|auch|noch|einfach|mal|misschien|even|peut-être|quizás",
)
export const LAST = ends(`${NOW}|(?:the|a|our|your|top|the top) (?:new )?priority`)
export const ONLY_NOW = new RegExp(`^(?:${NOW})(?: please| pls| plz)?$`, "iu")
// Work on something, not talk about it: "explain the login first" moves nothing.
export const WORK = begins(
  `(?:(?:let's|lets|let us|lass uns|laten we|go and|please)\\s+)?(?:first |now |erst |erstmal |jetzt |bitte |mal )?(?:go (?:and )?)?(?:${either(
    "put|have|do|start|begin|kick off|go after|take on|take over|knock out|fix|build|rebuild|write|rewrite|add|make|finish|implement|create|generate|handle|tackle|work on|get|take care of|look into|look at|look after|sort out|figure out|deal with|see to|get rid of|finali[sz]e|stabili[sz]e|investigate|work through|solve|clean up|clean|refactor|rework|redo|design|document|deploy|migrate|translate|improve|polish|complete|ship|repair|resolve|address|debug|update|upgrade|wrap up|set up|speed up|port|test|optimi[sz]e|replace|retry|shrink|reduce",
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
    "zeig|zeige|erklär\\p{L}*|sag|sage|gib|lies|nimm|prüf\\p{L}*|schau|sehen|lesen|öffnen|zeigen|anzeigen|erklären|sagen|finden|prüfen|verstehen|frag|nenn\\p{L}*|beschreib\\p{L}*|fass",
    "leg|toon|vertel|zeg|geef|lees|vraag",
    "explique|montre|dis|donne|lis|regarde|demande",
    "explica|muestra|dime|lee|mira|pregunta",
  ),
)
// A sentence about something is no bare name of it.
export const FINITE = has(
  "is|are|was|were|must|should|will|can|could|would|muss|müssen|soll|sollen|kann|können|wird|werden|be|been|has|have|had|did|does|do|works?|worked|went|came|comes|ran|runs|broke|breaks|got|gets|goes|seems|looks|fails|passed|passes|need|needs|i|you|we|they|he|she|it|this|that|ist|sind|war|waren|hat|haben|geht|ging|läuft|lief|kam|kommt|ich|du|wir|zijn|heeft|werkt|ik|est|sont|marche|elle|es|son|está|funciona|(?:fail|break|hang|crash|come|go|arrive|load|fire|appear|happen)$|\\p{L}+ed$",
)
/** "Users go to the page", "drivers open the page": who does it is named, or an article stands where no preposition asks for it. */
export const SOMEBODY_DOES =
  /(?<![\p{L}])(?:\p{L}{2,}s|people)\s+(?:go|switch|move|jump|return|come|change|turn|start|begin)\s+(?:\p{L}+\s+)?(?:to|with|on|from|at)\s|\S\s+(?!(?:of|for|in|on|at|to|from|with|by|into|onto|over|under|about|between|after|before|without|through|via|per|as|than|like|and|or|not|plus|behind|around|inside|within|across|against|near|all|both|up|out|off|down|until|during)\s)\p{L}+\s+(?:the|an?|our|their|his|her|its)\s/iu
/** "Not the list, the page": what is set against it follows. */
export const NOT_THAT =
  /^(?:not|nicht|niet|pas|no)\s+(?:the|this|that|den|die|das|de|het|le|la|el)(?:\s+\S+){0,3}$/iu
/** What was said politely stands in the past: "I'd prefer if you did …". */
export const POLITE_PAST =
  /^(?:did|made|took|took care of|worked on|looked at|looked into|started|finished|fixed)\s+/iu
/** "Not this. The page." */
export const ONLY_NOT_THIS =
  /^(?:no[,\s]+|nein[,\s]+)?(?:not (?:this|that|it|these|this one|that one)|nicht (?:das|dies|dieses|dieser|das hier))$/iu
/** Put off by its end, "this later": what follows is not. */
export const PUT_OFF =
  /^(?!(?:when|once|after|if|as soon as|wenn|sobald|nachdem|falls)\b)\S.*\s(?:later|tomorrow|afterwards?|next week|another time|später|morgen|nachher|danach|nächste woche|ein andermal|straks|demain|mañana)(?:\s+(?:then|dann|fertig|on))?$/iu
/** "Do the page, that's more important". */
export const THAT_IS_MORE_URGENT =
  /(?<![\p{L}])(?:that's|thats|that is|it's|its|they're|das ist|die sind|dat is)\s+(?:(?:way|much|far|now|viel|jetzt|veel)\s+)?(?:(?:more|most)\s+(?:important|urgent|pressing)|wichtiger|dringender|belangrijker|urgent)(?![\p{L}])/iu
/** Where the verb is last: "die Seite vorziehen", "bring the page forward". */
export const MOVE_AT_END =
  /^(?:(?:lass uns|let's|lets)\s+)?(?<name>.+?)\s+(?:vorziehen|drannehmen|einschieben|dazwischenschieben|oppakken)$/iu
/** Taken up where something else is left; alone it may say how something is to behave. */
export const TAKE = begins("nimm|nehmt|nehmen wir|take|pick|grab|neem|prends|toma")
/** An order begins with its verb, and articles stand before names. What somebody does or did ends otherwise. */
export const VERB_BEFORE_NAME =
  /^(?!\p{L}+(?:s|ed|ing|t|te|ten)\s)\p{L}{3,}(?: (?:up|out|on|in|off|down|over|with|at))?\s+(?=(?:the|our|my|your|an?|die|das|den|der|dem|unser\p{L}*|mein\p{L}*)\s)/iu
/** Says in the middle of an order that it is for now, and nothing else: "first" may also be that of a row. */
export const NOW_WITHIN = has(
  "right now|right away|straight away|immediately|asap|instead|meanwhile|in between|zwischendurch|nebenbei|eben|vorher|zuerst|erstmal|stattdessen|sofort|als nächstes|zunächst|eerst|meteen|d'abord|tout de suite|primero|ahora mismo",
)
/** "Go fix the page": who is sent somewhere leaves where he is. */
export const GO_AND = /^go (?:and )?(?=\p{L}+ )/iu
/** What a polite German question ends with. */
export const INFINITIVE_AT_END = /\s\p{Ll}{3,}(?:en|ern|eln)$/u
/** "Drop the list for the page". */
export const LEFT_FOR =
  /^(?:interrupt|leave|drop|pause|stop|swap|trade|exchange|unterbrich|tausch\p{L}*)\s.+?\s(?:for|in favou?r of|zugunsten|für|gegen)\s+(?!(?:now|today|the moment|a (?:sec|second|bit|minute|moment|while|day)|good|jetzt|heute)(?![\p{L}]))(?<name>.+)$/iu
/** "Touch the page and it breaks" tells what happens. */
export const TELLS_WHAT_FOLLOWS =
  /\s(?:and|und)\s+(?:it|they|everything|all|es|das|alles)\s+(?!is|was)\p{Ll}+[st](?![\p{L}'])/u
/** "Can the page be done first?" */
export const CAN_BE_FIRST =
  /^(?:can|could)\s+(?<name>.+?)\s+(?:be\s+(?:done|fixed|finished)|come|go)\s+(?:first|next|now)$/iu
/** "This can wait, the page can't." */
export const CANNOT_WAIT =
  /^(?<name>.+?)\s+(?:can't|cant|cannot|can not|kann nicht|kan niet)(?:\s+(?:wait|warten|wachten))?$/iu
/** "We're changing course: …" */
export const LEAD_IN =
  /^(?![^:]{0,60}\b(?:not|no|nicht|kein|niet)\b)[\p{L}' -]{0,40}?\b(?:chang(?:e|es|ing)|redirect|gears|urgent|priority|prio|plan|focus|direction|course|order|topic|fokus|thema|weiter|switch|instead|dringend|wichtig|urgence)\b[\p{L}' -]{0,20}:\s+/iu
/** "Quick one: …", "new task for you: …" */
export const ASIDE_FIRST =
  /^(?:(?:hey|ok|okay|so)[,\s]+)?(?:(?:a )?(?:quick|small|little|short|kleine|kurze)\s+(?:one|thing|detour|request|job|task|sache|bitte)|side ?quest|detour|(?:(?:your|a|the) )?(?:new|next|another|neue|nächste)\s+(?:task|job|assignment|aufgabe)(?:\s+(?:for you|für dich))?)(?::|\s+[-–—])\s+/iu
/** "Work on this, not on that": what is meant is set against something else. */
export const CONTRAST = /,\s+(?:and\s+)?(?:not|nicht|niet|pas|no)\s/iu
/** "Before you go on do …", without a comma. */
export const BEFORE_GOING_ON =
  /^(?:antes de (?:seguir|continuar)|avant de continuer|before (?:you (?:go on|continue)|continuing|going on)|bevor du weitermachst|voordat je verder gaat)[\s:,]+/iu
export const PLEASE_AT_END =
  /[\s,]+(?:please|pls|plz|thanks|thx|bitte|danke|aub|alsjeblieft|graag|stp|svp|s'il te plaît|por favor)$/iu
/** Nothing but the word: what it is about was said before. */
export const ONLY_SWITCH =
  /^(?:please\s+)?(?:switch|wechsle|wechseln|schakel over)(?:\s+(?:over|now|please|pls|bitte|jetzt))*$/iu
/** What comes behind says more of what was named before it: "a link to the login". */
export const BELONGING =
  /\s(?:to|in|on|for|from|of|with|at|into|by|about|zu|zur|zum|im|auf|für|von|vom|mit|bei|über|voor|van|op|met|naar|pour|dans|sur|avec|du|des|para|en|del|con|sobre)\s.*$/iu
export const MAX_NAME_WORDS = 7
/** Whoever asks for something is brief; what is longer was pasted. */
export const MAX_SENTENCE_CHARS = 600
export const MAX_END_CHARS = 4000
/** "Work on": nobody says that of a detail. "Do" and "start" are also said of what is run. */
export const WHOLE_TASK = begins(
  "(?:please |pls |bitte )?(?:work on|start on|begin with|tackle|take on|take care of|erledige)",
)
/** "How about the page". */
export const HOW_ABOUT = begins("how about|what about|wie wär's mit|wie wäre es mit")
/** Who asks to be told is answered with words. */
export const TELL_ME = /^\p{L}+\s+(?:me|us|mir|uns)(?![\p{L}])/iu
