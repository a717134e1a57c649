import { begins } from "./patterns.ts"

/** The words by which a clause begins that asks to go to something else, without the thing; undefined where it asks for none. */
export function moveIn(clause: string): string | undefined {
  for (const move of MOVES) {
    const found = move.exec(clause)
    if (found !== null) return found[0]
  }
  return undefined
}

const ASIDE =
  "(?:jetzt|bitte|erst|erstmal|zuerst|lieber|wieder|zurück|mal|doch|noch|kurz|schnell|eben|gleich|sofort|dann|vorher|als nächstes|als erstes|direkt|rüber|hinüber|weiter|nu|eerst|maar|even|terug|d'abord|primero|ahora)"

/** Several, because a long pattern takes long to be compiled. */
export const MOVES: readonly RegExp[] = [
  moves(
    "switch(?:ing)?(?: me| us| yourself)?(?: over| back| now| instead| context)? to",
    "go(?:ing)?(?: back| over| straight| on)? to",
    "mov(?:e|ing)(?: on| over| back| now)? to",
    "(?:jump|turn|return|get back|come back|change|shift|pivot|hop|skip)(?:ing)?(?: over| back| now| ahead| forward)? to",
    "(?:jump|hop) on",
    "(?:go )?(?:back|over|on) ?to",
    "(?:i'm|im|i am) (?:moving|switching|putting) (?:you|us)(?: over)? (?:to|on)",
    "be (?:working|focus(?:s)?ing|concentrating) on|be looking (?:at|into)",
    "resume(?: work(?:ing)?)?(?: on)?(?! (?:on|with|it|that|this)(?![\\p{L}]))",
    "shift (?:the |your )?focus to",
    "go (?:for|with)",
    "swap(?: over)? to",
    "time (?:to work on|for)",
    "(?:we're|we are|i'm|im) (?:switching|moving|going)(?: over| on| back)? to",
    "i(?:'d| would) go for|(?:the )?next (?:one|up|thing|task) is",
    "(?:re)?focus(?:ing)?(?: now| only| instead)? on",
  ),
  moves(
    "concentrate(?: now)? on",
    "prioriti[sz]e",
    "(?:on|continue|carry on|go on|proceed|go ahead|keep going|get on)(?: now)? with|(?:continue|carry on|go on|proceed|keep going|keep working|resume)(?: now)? on",
    "(?:start|begin)(?: now)? (?:with|on|work(?:ing)? on)",
    "(?:get|be)(?: yourself)? (?:going|started|cracking|moving|busy)(?: now)? (?:with|on)",
    "(?:squeeze|fit|slip|slot|slide|sneak) in",
    "(?:go|dive|jump|dig|get|come|hop)(?: right| straight| back)* into",
    "(?:have|take|give) (?:a|another) (?:go|look|stab|crack|shot)(?: now)? at",
    "(?:bring|pull|move) (?:forward|ahead)|(?:bring|pull|move|bump|push)(?=.* (?:forward|up|to the (?:front|top))$)",
    "i(?:'d like|'d love| would like| want| need) (?:you|u) on",
    "(?:take|pick) up",
    "give priority to",
    "(?:work|get to work|crack on)(?: now| instead)? on(?=.*\\b(?:first|now|instead|next)\\b)",
    "(?:start|begin|go)(?: all)? over with|all hands on|eyes on|hands on",
  ),
  moves(
    `(?:wir )?wechs(?:le|el|eln)(?: ${ASIDE})* (?:zu|zur|zum|auf)`,
    `(?:geh|gehe|gehen wir|spring|kehr)(?: ${ASIDE})* (?:zu|zur|zum)`,
    "(?:zurück|weiter)(?: geht'?s)? (?:zu|zur|zum|mit)",
    `mach(?:e|en wir)?(?: ${ASIDE})* (?:mit|bei)`,
    `(?:fang|beginn\\p{L}*|starte?)(?: ${ASIDE})* mit`,
    `kümmer\\p{L}* dich(?: ${ASIDE})* um`,
    `konzentrier\\p{L}* dich(?: ${ASIDE})* auf`,
    "priorisier\\p{L}*",
    "(?:zieh|ziehe|wir ziehen)(?=.* vor$)|(?:pak|neem)(?=.* op$)",
    `(?:nimm|nehmt) dir(?: ${ASIDE})*(?=.* vor$)|(?:schieb\\p{L}*)(?: ${ASIDE})*(?=.* (?:dazwischen|ein|rein|vor)$)`,
    `(?:schau|sieh|guck) dir(?: ${ASIDE})* (?=.* an$)`,
    "(?:kurz |nog |even )?(?:das|den|die|de|het|the)(?=.* (?:vorziehen|drannehmen|dazwischenschieben|einschieben|oppakken)$)",
  ),
  moves(
    `ga(?: ${ASIDE})* (?:verder met|door met|aan de slag met|naar)`,
    `(?:schakel|stap)(?: ${ASIDE})* over (?:naar|op)`,
    `(?:verder|begin|start)(?: ${ASIDE})* met|terug naar|richt je op`,
    "(?:on )?pass(?:e|er|ons|ez) (?:plutôt |maintenant |d'abord )?(?:à|au|aux|sur)|(?:reviens|retourne|retour) (?:à|au|aux|sur)|bascule sur",
    "(?:concentre-toi sur|occupe-toi d(?:e|u|es|')|t'occuper d(?:e|u|es|')|commence par|continue avec)",
    "(?:pasa|pasar|pasemos|cambia|cambiar|vuelve|volver) (?:ahora )?(?:a|al)|(?:céntrate|concéntrate) en|ocúpate del?",
    "(?:empieza|empezar) (?:con|por)|(?:continúa|sigue|vamos) con|prioriza",
  ),
  // German puts the verb last.
  begins(
    [
      `dich(?: ${ASIDE})* um(?=.* kümmern$)`,
      `(?:auf|zu|zur|zum)(?: ${ASIDE})*(?=.* (?:umschwenken|wechseln|umsteigen|umschalten|springen|rüberwechseln)$)`,
      `dir(?: ${ASIDE})*(?=.* (?:vornehmen|anschauen|ansehen|angucken)$)`,
      `(?:${ASIDE}\\s+)*(?:mit|an)(?!.* (?:macht|machen|geht|gehen|ging|arbeitet|arbeiten) (?:der|die|das|er|sie|es|wir|ich|man) )(?=.* (?:weiter|weitermach(?:en|st)|weiterarbeite(?:n|st)|anfangen|anfängst|beginn(?:en|st)|arbeite(?:n|st))$)`,
    ].join("|"),
  ),
]

function moves(...words: string[]): RegExp {
  return begins(
    `(?:(?:let's|lets|let us|lass uns|laten we|now|first|instead|rather|please|jetzt|erst|erstmal|zuerst|bitte)\\s+)*(?:${words.join("|")})`,
  )
}
