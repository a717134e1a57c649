/** Phrases by which users order a switch of the task: English, then lines for German, Dutch, French and Spanish. */
const PHRASES = {
  /** Phrases that order a switch without any other word. */
  switchTo: `switch to|switch over to|switch back to|move on to|move over to|go back to|get back to|come back to|back to|return to|jump to|jump over to|jump back to|continue with|carry on with|go on with|proceed with|work on|start working on|start work on|focus on|concentrate on|start with|begin with|turn to|pick up|take up|prioritize|prioritise|tackle
    wechsle zu|wechsle zum|wechsle zur|wechsel zu|wechsel zum|wechsel zur|geh zurück zu|zurück zu|zurück zum|zurück zur|mach weiter mit|mach mit|weiter mit|arbeite an|beginne mit|fang mit|kümmere dich um
    schakel over naar|ga terug naar|terug naar|ga verder met|ga door met|werk aan|begin met
    passe à|passe au|passe aux|passons à|passons au|reviens à|reviens au|continue avec|travaille sur|commence par
    cambia a|cambia al|pasa a|pasa al|vuelve a|vuelve al|sigue con|continúa con|trabaja en|empieza por`,
  /** Verbs that tell the agent to do a task; they count only next to an urgent word. */
  do: `do|go to|move to|go for|take|start|begin|resume|finish|handle|get started on
    mach|mache|machen|nimm|erledige|erledigen|beginne|starte
    doe|pak|neem
    fais|faire|prends
    haz|hacer|toma`,
  /** Verbs that task titles begin with. Next to an urgent word they tell the agent to do that task. */
  titleVerb: `adapt|add|address|adjust|align|allow|analyse|analyze|archive|assign|audit|benchmark|block|build|bump|cache|capture|change|check|clarify|clean|close|collect|compare|compress|configure|connect|convert|correct|count|cover|create|cut|debug|define|delete|deploy|deprecate|describe|design|detect|disable|display|document|download|drop|enable|encrypt|enforce|ensure|evaluate|examine|expand|explore|export|expose|extend|extract|filter|find|fix|format|generate|harden|hide|identify|implement|import|improve|include|increase|index|install|integrate|introduce|invalidate|investigate|isolate|keep|limit|link|load|localise|localize|lock|log|make|measure|merge|migrate|mock|modernise|modernize|modify|monitor|move|normalise|normalize|notify|optimise|optimize|organise|pair|parse|patch|persist|pin|polish|port|prepare|print|profile|protect|prune|publish|put|query|record|reduce|refactor|refund|register|reject|release|reload|remove|rename|render|reorder|reorganise|repair|replace|report|reproduce|research|reset|resolve|restore|restrict|restructure|retry|return|reuse|revert|review|revise|rework|rewrite|run|sanitize|save|scan|schedule|search|secure|send|separate|set|shorten|show|shrink|sign|simplify|sort|speed|split|stabilise|stabilize|store|stream|style|support|sync|test|trace|track|train|translate|trim|tune|turn|unify|update|upgrade|upload|use|validate|verify|warn|watch|wire|wrap|write
    corriger|ajouter|écrire|exporter|réparer|supprimer
    arreglar|añadir|escribir|reparar|eliminar|probar`,
  /** Verbs that task titles end with. */
  titleEnd: `bauen|schreiben|beheben|reparieren|überarbeiten|ergänzen|entfernen|testen|prüfen|ersetzen|importieren|sortieren
    bouwen|schrijven|repareren|verwijderen|versturen`,
  /** Urgent words: the user wants a task done before the current one. */
  urgent: `wait|hold on|hang on|stop|actually|first|instead|now|right now|right away|immediately|asap|on second thought|change of plan|change of plans|before that|before anything else|before we go on|before you go on
    warte|moment|halt|stopp|zuerst|erst|erstmal|vorher|jetzt|sofort|stattdessen|doch|lieber
    wacht|eerst|nu|meteen|toch
    attends|d'abord|maintenant|plutôt|tout de suite|avant tout
    espera|primero|ahora|mejor|antes de nada`,
  /** Beginnings of a clause that names the work to stop; such a clause counts like an urgent word. */
  leave: `leave|forget|forget about|drop|pause|park|skip|stop|never mind|nevermind|instead of
    lass|vergiss|unterbrich|statt
    laat|vergeet|in plaats van
    laisse|oublie|au lieu de
    deja|olvida|en vez de`,
  /** Beginnings of a question that is meant as an order. */
  ask: `can you|could you|would you|will you|can we|could we
    kannst du|könntest du|können wir|könnten wir
    kun je|kan je|kunnen we
    peux tu|pourrais tu
    puedes|podrías|podemos`,
  /** Words that are ignored in orders and in titles. */
  filler: `please|pls|ok|okay|alright|right|good|great|thanks|hey|so|well|yes|yeah|hm|hmm|just|quickly|let's|lets|let us|we should|we need to|we have to|you should|you need to|i want you to|i need you to|i'd like you to|task|again|the|a|an|our|my|this|that|of|in|on|with|to|for|from|by|and|as
    bitte|gut|danke|na|ja|mal|lass uns|wir sollten|wir müssen|aufgabe|wieder|weiter|weitermachen|der|die|das|den|dem|des|ein|eine|einen|zu|zum|zur|mit|an|auf|für|von|im|und|per
    graag|alsjeblieft|oké|goed|laten we|taak|even|de|het|een|van|op|met|voor|en|aan
    s'il te plaît|stp|merci|bon|oui|tâche|le|la|les|l|un|une|des|du|de|d|à|au|aux|en|sur|avec|pour|et
    por favor|vale|bien|gracias|sí|tarea|el|los|las|una|del|al|con|y`,
  /** Beginnings of a clause that puts an order off, takes it back or makes it depend on something. */
  unless: `when|once|after the|after you|after we|after it|if|unless|until|later|tomorrow|or|maybe|not|don't|do not|but not|but only|only
    wenn|sobald|nachdem|falls|bis|später|morgen|oder|vielleicht|nicht|aber
    als|zodra|nadat|tot|of|misschien|niet|maar
    quand|dès|après|si|jusqu'à|plus tard|demain|ou|pas|mais
    cuando|después|hasta|más tarde|mañana|o|quizás|no|pero`,
  and: "and|und|en|et|y",
  nextTask:
    "next task|next open task|nächste aufgabe|nächsten aufgabe|volgende taak|tâche suivante|siguiente tarea",
  backToPlan:
    "back to the plan|back to our plan|zurück zum plan|terug naar het plan|retour au plan|vuelve al plan",
}

export function phrasesOf(...kinds: readonly (keyof typeof PHRASES)[]): Set<string> {
  return new Set(kinds.flatMap((kind) => PHRASES[kind].split(/[|\n]/).map(plainWords)))
}

/** A regular expression that matches any of the phrases, longer ones first. */
export function anyOf(...kinds: readonly (keyof typeof PHRASES)[]): string {
  const all = [...phrasesOf(...kinds)].toSorted((a, b) => b.length - a.length)
  return `(?<![^ ])(?:${all.join("|")})(?![^ ])`
}

/** Lower-case words with one space between them, without a plural's "s". Ids and ticket numbers stay whole. */
export function plainWords(text: string): string {
  const plain = text.toLowerCase().replaceAll("’", "'")
  const words = plain.match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? []
  const split = words.flatMap((word) => (/\d/.test(word) ? word : word.split("-")))
  return split.map((word) => (/^..+[^s']s$/.test(word) ? word.slice(0, -1) : word)).join(" ")
}
