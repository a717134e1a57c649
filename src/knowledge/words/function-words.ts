/** Function words are left out of the index and of queries. They also reveal a text's language: only English is stemmed. */
const LISTS = {
  en: `a about above after again against all also am an and any are arent as at be because been before being below
    between both but by can cannot cant could couldnt did didnt do does doesnt doing done dont down during each every few for from
    further had hadnt has hasnt have havent having he her here hers herself him himself his how i id if ill im in into is
    isnt it its itself ive just lets like me might more most must my myself no nor not of off ok okay on once only or other our ours
    ourselves out over own please same shall she should shouldnt since so some such than thank thanks that thats the their theirs them themselves
    then there theres these they theyre this those through to too under until up upon very was wasnt we were werent weve
    what whats when where which while who whom whose why will with wont would wouldnt yes you your youre yours yourself`,
  de: `aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da dabei
    damit dann das dass daß dein deine dem den denn der des deshalb die dies diese diesem diesen dieser dieses doch dort du
    durch ein eine einem einen einer eines er es etwas euch für gegen habe haben hat hatte hatten hier hinter ich ihm ihn
    ihr ihre im in ins ist jede jeder jedes jetzt kann kein keine können könnte mehr mein mich mir mit muss müssen nach
    nicht nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so soll sollte sondern über um und uns unser unter
    viel vom von vor wann war waren warum was weil welche wenn wer werden wie wieder will wir wird wo wollen wurde wurden
    würde zu zum zur zwischen`,
  fr: `ai au aux avait avec avoir avons car ce ceci cela ces cet cette ceux chez comme comment dans de depuis des donc du elle
    elles en est et était été être eu fait il ils je la le les leur leurs lors lui ma mais mes moi mon ne nos notre nous on
    ont ou où par pas peut plus pour pourquoi qu quand que quel quelle qui quoi sa sans se sera ses si son sont sous sur ta
    tes toi ton tous tout toute très tu un une vers vos votre vous y à`,
  es: `al algo ante antes como con contra cual cuando de del desde donde durante el ella ellas ellos en entre era es esa ese
    eso esta está estaba estas este esto estos fue ha había han hasta hay la las le les lo los más me mi muy nada ni no nos
    o para pero por porque que qué quien se ser si sí sin sobre su sus también te tiene todo todos tu un una uno y ya yo`,
  pt: `ao aos as até com como da das de dela dele do dos e ela ele eles em entre era essa esse esta está este eu foi há isso
    isto já mais mas me mesmo meu muito na não nas nem no nos nós num o os ou para pela pelo por porque quando que quem se
    sem ser seu sua são só também te tem um uma você à às é`,
  it: `ad al alla alle anche che chi ci come con cosa da dal dalla dei del della delle di dove e ed era fare gli ha hanno ho il
    in io la le lo ma mi mia mio ne nei nel nella noi non o ogni per perché più poi qual quale quando quello questa questo
    se sei si sia sono su sua suo sul tra tu un una uno è`,
  nl: `aan al als altijd andere bij daar dan dat de der deze die dit doen door een eens en er geen haar had heb hebben heeft
    het hij hoe hun ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat
    ons ook op over reeds te tegen toen tot u uit uw van veel voor waar waarom want waren was wat we wel werd wezen wie wij
    wil worden wordt zal ze zich zij zijn zo zonder zou`,
  ru: `а без более бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть ещё же за
    здесь и из или им их к как какой когда кто ли между меня мне можно мы на над надо нас не него нее ней нет ни них но ну о
    об однако он она они оно от очень по под после потому почему при про с свой себя со так также там то тоже только том ты
    у уже чего чем что чтобы эта эти это этот я`,
}

export type Language = keyof typeof LISTS

const languages = Object.keys(LISTS) as Language[] // `Object.keys` types them as plain strings.
const bitOf = Object.fromEntries(languages.map((language, n) => [language, 1 << n])) as Record<
  Language,
  number
>
const masks = new Map<string, number>()
for (const language of languages)
  for (const word of LISTS[language].split(/\s+/)) masks.set(word, (masks.get(word) ?? 0) | bitOf[language])

export const maskOf = (word: string): number => masks.get(word) ?? 0

/** The language with the most function words in a text; English if there are none or on a tie. */
export function languageOf(words: Iterable<{ functionIn: number }>): Language {
  const counts = languages.map(() => 0)
  for (const { functionIn } of words) {
    if (functionIn === 0) continue
    for (let n = 0; n < counts.length; n++)
      if ((functionIn & (1 << n)) !== 0) counts[n] = (counts[n] ?? 0) + 1
  }
  return languages[counts.indexOf(Math.max(...counts))] ?? "en"
}

export function isFunctionWord({ functionIn }: { functionIn: number }, language: Language): boolean {
  return (functionIn & (bitOf.en | bitOf[language])) !== 0
}
