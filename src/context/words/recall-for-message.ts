import { setImmediate as nextTurn } from "node:timers/promises"
import { isKnowledge, isRetiredMem } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import { type Hit, recall, recallFailed } from "../../knowledge/recall/recall.ts"
import { asksAboutFault, asksAboutState, asksWhy, isAsking, REASONS } from "../../knowledge/words/question.ts"
import { stem } from "../../knowledge/words/stem.ts"
import { wordsOf } from "../../knowledge/words/words.ts"
import { shortId } from "../../shared/ids.ts"
import type { Recalled } from "../pack/knowledge-items.ts"
import { type Asker, strongMatches, wordsReason } from "./strong-match.ts"

type RecalledMem = Extract<Recalled, { mem: unknown }>

export async function recallForMessage(
  hive: Hive,
  text: string,
  from: "message" | "task",
): Promise<Recalled[]> {
  // Word lists and patterns are built on first use: separate turns of the event loop keep each pause short.
  await nextTurn()
  const subject = subjectOf(text)
  if (subject === "") return []
  await nextTurn()
  const asker = from === "message" ? askerOf(text) : from
  // Questions about state or faults search with the full text; everything else with the subject words only.
  const query = asker === "state" || asker === "fault" ? text : subject
  const mems = await fittingMems(hive, text, query, asker)
  const failed = strongMatches(await recallFailed(hive, query, MAX_FAILED), asker, text)
  return [...mems, ...failed.map((hit) => ({ task: hit.task, reason: wordsReason(hit, asker) }))]
}

function askerOf(text: string): Asker {
  if (asksAboutFault(text)) return "fault"
  return asksWhy(text) && asksAboutState(text) ? "state" : "message"
}

async function fittingMems(hive: Hive, text: string, query: string, asker: Asker): Promise<RecalledMem[]> {
  const reasons = await reasonsFor(hive, text, asker)
  const known = new Set(reasons.map(({ mem }) => mem.id))
  const isWhy = asker === "state" || (asker === "message" && asksWhy(text))
  const others = (await recall(hive, query, { limit: MAX_HITS })).filter(
    ({ mem }) => !isRetiredMem(mem) && !known.has(mem.id) && !(isWhy && REASONS.includes(mem.kind)),
  )
  const isNote = ({ mem }: Hit) => mem.kind !== "pattern" && !REASONS.includes(mem.kind)
  const hits = [...reasons, ...strongMatches(others, asker, text, isNote)].slice(0, MAX_HITS)
  const found = hits.map((hit) => ({
    mem: hit.mem,
    reason: `${wordsReason(hit, asker)}${hit.replaces === null ? "" : "; it replaces a mem that has these words"}`,
  }))
  return [...found, ...partsOf(hive, found)]
}

/** Recalls decisions and false paths for a question. A "why" question is searched with its full text too. */
async function reasonsFor(hive: Hive, text: string, asker: Asker): Promise<Hit[]> {
  if (asker === "task" || asker === "fault" || !isAsking(text)) return []
  const isWhy = asksWhy(text)
  const find = async (query: string) => {
    const hits = await recall(hive, query, { limit: MAX_REASONS, kinds: REASONS })
    return strongMatches(hits, asker === "message" && isWhy ? "why" : asker, text)
  }
  const bySubject = asker === "state" ? [] : await find(subjectOf(text))
  const mayBeOne = asker === "state" || OURS.test(text)
  const byAll = isWhy ? (await find(text)).filter(({ words }) => words.length > 1 || mayBeOne) : []
  const best = new Map([...byAll, ...bySubject].map((hit) => [hit.mem.id, hit]))
  // Hits of the two queries alternate, so that neither crowds out the other's.
  const order = [...bySubject.flatMap((hit, n) => [hit, ...byAll.slice(n, n + 1)]), ...byAll]
  return [...new Set(order.map(({ mem }) => mem.id))]
    .flatMap((id) => best.get(id) ?? [])
    .filter(({ mem }) => !isRetiredMem(mem))
    .slice(0, MAX_REASONS)
}

function partsOf({ store }: Hive, found: readonly RecalledMem[]): RecalledMem[] {
  const { state } = store.read()
  const known = new Set(found.map(({ mem }) => mem.id))
  const parts = found.flatMap(({ mem: { id } }) =>
    [...state.mem.by("parent_mem_id", id)]
      .filter((part) => isKnowledge(part) && !known.has(part.id))
      .slice(-MAX_PARTS)
      .map((mem) => ({ mem, reason: `part of ${shortId(id)}` })),
  )
  return parts.slice(0, MAX_PARTS)
}

const OURS = /\b(?:we|our|us|wir|unser\w*|uns|nous|notre)\b/i
const MAX_HITS = 8
const MAX_REASONS = 3
const MAX_FAILED = 3
const MAX_PARTS = 4

/** Removes words that occur in any message about work, as in "run the tests", "looks good, go on", "why did we choose". */
function subjectOf(text: string): string {
  return text
    .slice(0, MAX_CHARS)
    .split(/(\s+)/)
    .filter((piece) => !isWork(piece))
    .join("")
    .trim()
}

function isWork(piece: string): boolean {
  if (SMALL_NUMBER.test(piece)) return true
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
// Text after this many characters may be a pasted log.
const MAX_CHARS = 4000
