import { has } from "./patterns.ts"

/** How somebody says what is wanted without ordering it; `name` is what it is. */

/** "The leaks are more urgent", where something is to be left; and "the newsletter has to be first". */
export const MORE_URGENT =
  /^(?<name>.+?)\s+(?:is|are|ist|sind|zijn|est|sont|es|son)\s+(?:(?:now|jetzt|far|much|way|viel|veel|bien|mucho)\s+)?(?:(?:more|plus|más)\s+(?:urgent|important|pressing|urgente|importante)|wichtiger|dringender|belangrijker|urgenter)(?![\p{L}])/iu
export const MUST_BE_FIRST =
  /^(?<name>.+?)\s+(?:(?:must|should|has to|have to|needs to|need to)\s+(?:be|come|go|happen|start|be done|get done)\s+(?:first|next|now|right now|right away|asap|before (?:anything|everything) else)|(?:muss|müssen|moet|moeten)\s+(?:jetzt\s+|nu\s+)?(?:zuerst|vorher|eerst)|(?:doit|doivent)\s+passer\s+(?:d'abord|en premier|avant)|(?:has|have|hat|haben|heeft)\s+(?:top\s+|now\s+|jetzt\s+|nu\s+)*(?:priority|prio|vorrang|priorität|voorrang)(?:\s+(?:now|jetzt|nu))?|needs?\s+(?:fixing|doing|(?:your |our |some )?(?:attention|love|work|care)|to be (?:done|fixed))\s+(?:now|first|right now|asap|next)|(?:va|van)\s+primero|(?:comes?|goes?|kommt|kommen|komen?)\s+(?:first|zuerst|als erstes|eerst)|(?:geht|gehen)\s+vor|gaat\s+voor|takes?\s+(?:precedence|priority)(?:\s+(?:now|over\s.+))?|(?:should|must|has to|have to|needs? to)\s+be\s+(?:our|your|the)\s+(?:new\s+|next\s+|main\s+|top\s+)?(?:focus|priority|step|thing|task)(?:\s+(?:now|today))?|(?:must|should|has to|have to|needs? to)\s+be\s+\p{L}+ed\s+before (?:you|we) (?:go on|continue|carry on|proceed)|(?:is|are)\s+(?:up\s+)?next)$/iu
/** "The page is what I need today", and "what I want is the page". */
export const WHAT_IS_WANTED =
  /^(?:(?<name>.+?)\s+(?:is|are)\s+what\s+(?:i|we)\s+(?:really\s+)?(?:need|want)\s+(?:most|now|right now|today|first|next)|what\s+(?:i|we)\s+(?:really\s+)?(?:need|want)(?:\s+(?:most|now|right now|today|first|next|instead))?\s+(?:is|are)\s+(?<what>.+)|what(?:'s|\s+is)\s+(?:more|most)\s+(?:important|urgent)(?:\s+(?:now|right now))?\s+(?:is|are)\s+(?<thing>.+))$/iu
/** "Wir brauchen zuerst den Import", "ich hätte gern jetzt die Seite repariert". */
export const WANTED_IN_GERMAN =
  /^(?:ich|wir)\s+(?:brauche|brauchen|will|wollen|möchte|möchten|hätte|hätten|würde|würden)\s+(?:gern\s+|gerne\s+|lieber\s+|bitte\s+|eigentlich\s+|dringend\s+)*(?:zuerst|erst|erstmal|jetzt|vorher|sofort|als\s+nächstes|als\s+erstes)\s+(?:gern\s+|gerne\s+|mal\s+|noch\s+)*(?<name>.+)$/iu
/** Where something is left: "the page is up now", "die Seite ist dran". */
export const IS_UP =
  /^(?<name>.+?)\s+(?:is|are|ist|sind)\s+(?:(?:now|jetzt)\s+)?(?:up|first|next|due|overdue|urgent|pressing|burning|on\s+fire|dran|an\s+der\s+reihe|fällig|dringend|wichtig|das\s+thema|the\s+(?:one|thing|task)(?:\s+to\s+do)?|(?:the|our)\s+(?:top\s+)?priority)(?:\s+(?:now|next|jetzt))?$/iu
/** "Zuerst muss die Seite gehen". */
export const FIRST_MUST =
  /^(?:zuerst|erst|erstmal|jetzt|als (?:aller)?erstes|eerst|nu)\s+(?:muss|müssen|soll|sollen|sollte|sollten|kommt|kommen|moet|moeten)\s+(?<name>.+?)(?:\s+\p{Ll}+en)?$/iu
/** "The page is the one to do now". */
export const IS_THE_ONE =
  /^(?<name>.+?)\s+(?:is|are|ist|sind)\s+(?:the\s+(?:one|ones|thing|task)\s+to\s+(?:do|fix|work on|start)|what\s+(?:we|you)\s+(?:do|should do|need to do|work on))\s+(?:now|next|first|today)$/iu
/** "First priority today is the page". */
export const PRIORITY_IS =
  /^(?:(?:the|our|my|your|meine|deine|unsere|die)\s+)?(?:(?:first|next|top|highest|number one|main|biggest|new|erste|nächste|oberste|höchste|neue)\s+(?:priority|prio|thing|task|job|priorität|aufgabe)|(?:das|am)\s+(?:aller)?wichtigste[n]?|today's\s+(?:job|task|priority|focus|goal))(?:\s+(?:now|today|jetzt|heute|for today|right now))?\s+(?:is|are|ist|sind)\s+(?:now\s+|jetzt\s+)?(?<name>.+)$/iu
/** "I need the page translated asap". */
export const WANTED_DONE =
  /^(?:i|we)(?:\s+(?:really\s+)?(?:need|want|would like)|'d\s+(?:really\s+)?(?:like|love))\s+(?:to have\s+|to see\s+)?(?<name>.+?)\s+(?:done|ready|out|working|\p{L}+ed)\s+(?:now|first|next|asap|right away|right now|immediately|before\s.+)$/iu
/** "I need the page today". */
export const NEEDED_NOW =
  /^(?:i|we)\s+(?:really\s+|urgently\s+)?need\s+(?<name>.+?)\s+(?:today|now|right now|asap|immediately|this (?:morning|afternoon)|within the hour|by (?:noon|tonight|the end of the day|eod))$/iu
/** "The letters have to go out today": what follows is urged. */
export const IS_DUE = has(
  "(?:has|have|needs?) to .{1,40}(?:today|now|asap|by (?:noon|eod))|must .{1,40}(?:today|now|asap)|muss .{1,40}(?:heute|jetzt|sofort)(?: .{1,20})?|müssen .{1,40}(?:heute|jetzt|sofort)(?: .{1,20})?",
)
/** "That's what matters now", "get on it", "that comes first": what is meant was said before. */
export const THAT_ONE =
  /^(?:(?:that|this|it)(?:'s|\s+is)\s+(?:the\s+(?:one|thing)\s+to\s+(?:do|fix|work on|start)|(?:what|the thing that)\s+(?:matters|counts|is urgent|(?:i|we)\s+need))(?:\s+(?:now|most|today|right now|first))?|(?:that|this|it)(?:'s|\s+is)\s+(?:your|the)\s+next\s+(?:job|task|one|thing)|hurry(?:\s+up)?|(?:please\s+)?(?:get|jump|hop)\s+on\s+(?:it|that|this|those|them)(?:\s+(?:now|please|asap))?)$/iu
/** "Give me a working restore", where something else is left. */
export const GIVE_ME =
  /^(?:give|get|bring|gib|gebt|bring)\s+(?:me|us|mir|uns)\s+(?:(?:a|an|the|our|some|ein|eine|einen|den|die|das)\s+)?(?:(?:working|proper|funktionierende[nrs]?)\s+)?(?<name>.+)$/iu
/** Where something is left: "we need the card". */
export const NEEDED =
  /^(?:i|we|ich|wir|they|customers|users|kunden)\s+(?:really\s+)?(?:need|want|brauche|brauchen|wollen|will)\s+(?!(?:to|you)\s)(?<name>.+)$/iu
/** "So the permits it is". */
export const IT_IS = /^(?<name>(?:\S+\s+){1,4}?)it\s+is(?:\s+(?:then|now))?$/iu
/** "I'd rather have the page than the list". */
export const RATHER_HAVE =
  /^(?:i|we)(?:'d|\s+would)\s+(?:rather|much rather|prefer to)\s+(?:have|see|do|get|build|finish|fix)\s+(?<name>.+?)\s+(?:than\s.+|instead|first)$/iu
/** Where something is left: "we do the card now". */
export const WE_DO =
  /^(?:we|wir)\s+(?:do|take|build|make|machen|nehmen|bauen)\s+(?:jetzt\s+|erst\s+)?(?<name>.+?)(?:\s+(?:now|first|next|instead|jetzt|zuerst))?$/iu
