import { stem } from "../../knowledge/words/stem.ts"
import { wordsOf } from "../../knowledge/words/words.ts"

/** A message without the words that any message about work may have: "run the tests", "looks good, go on", "why did we choose". */
export function subjectOf(text: string): string {
  return text
    .slice(0, MAX_CHARS)
    .split(/(\s+)/)
    .filter((piece) => !isWork(piece))
    .join("")
    .trim()
}

/** Never true for a path or an identifier. */
function isWork(piece: string): boolean {
  if (SMALL_NUMBER.test(piece)) return true
  // Verbs of two parts: `re-run`, `cherry-pick`.
  const words = wordsOf(HYPHENED.test(piece) ? piece.replaceAll("-", " ") : piece)
  return words.length > 0 && words.every(({ text, isName }) => !isName && WORK.has(stem(text)))
}

const WORDS = `continue proceed resume go going next run rerun test tests testing try retry fix check recheck look see show tell
  explain describe list open start restart stop begin finish complete make create add remove delete drop change update edit
  write rewrite read review refactor clean cleanup tidy rename move commit push pull merge rebase build rebuild compile
  lint format install implement work help need want think know say ask answer use let get give take put keep leave wait
  apply revert undo redo repeat summarize summary save print verify confirm ensure mind remember recall forget handle
  improve mention happen call turn set bring come find learn follow deal switch
  thing stuff file code line error bug issue problem change diff step task plan phase todo part way time minute hour day
  today tomorrow yesterday morning evening moment question idea point example detail result output message pr request
  session project repo repository team people user everybody everyone anyone
  good great nice fine perfect cool right correct wrong sure bad better best new old same different ready quick quickly
  again now later soon maybe really actually still yet already well little bit lot much many one two three everything
  anything nothing something simple small big short long last first second previous current latest whole
  hi hello hey thanks thank please sorry welcome bye cheers ok okay yes yep yeah yup nope lgtm alright awesome excellent
  choose choice decide decision reason prefer preference pick select selection instead rather versus vs opt settle
  typo suggestion snippet indentation whitespace newline semicolon docstring nit nitpick rerun wording paragraph bullet
  never always often sometimes usually probably main branch max min
  rid introduce cherry bump
  favor favour behind ever end ended made went kind sort using used exactly briefly back else
  weiter danke bitte mach machen mache weitermachen los passt gut super genau prima nochmal fertig zeig zeige teste tests
  führe ausführen prüfe schau merci continuer continue vas-y bien parfait suite gracias sigue continua vale perfecto
  adelante bedankt verder graag goed grazie avanti obrigado obrigada
  继续 好的 谢谢 可以 没问题 下一步 続けて 続き 次 계속 감사합니다 спасибо дальше продолжай хорошо`

const WORK = new Set(WORDS.split(/\s+/).map((word) => stem(word.toLowerCase())))
const HYPHENED = /^[a-z]+-[a-z]+[.,;:!?)]*$/
const SMALL_NUMBER = /^\d{1,2}[.,;:!?)%]*$/
// Later text may be a pasted log.
const MAX_CHARS = 4000
