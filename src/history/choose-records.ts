import { findSameText } from "../graph/mem-status.ts"
import type { GraphState } from "../graph/state.ts"
import { withHashes } from "../knowledge/memory/evidence.ts"
import { isStatedInProject, saidRuleId, scopeIn } from "../knowledge/memory/keep-rules.ts"
import { findRelated } from "../knowledge/rules/find-related.ts"
import { isAboutSame, relationOf, subjectWords } from "../knowledge/rules/same-subject.ts"
import { madeOf } from "../migrate/records/fields.ts"
import { memRecords } from "../migrate/records/new-records.ts"
import type { SourceRecord } from "../migrate/records/report.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { counted } from "../shared/amounts.ts"
import { derivedId } from "../shared/ids.ts"
import type { Pausing } from "../shared/slices.ts"
import { shorten } from "../shared/text/clean.ts"
import type { ProjectCheck } from "./check-project.ts"
import type { Candidate } from "./extract/candidate.ts"
import type { CommandRuns } from "./extract/runs.ts"
import { AGENTS } from "./read/step.ts"
import type { ReadSession } from "./read-session.ts"

export interface ChooseInput {
  sessions: readonly ReadSession[]
  state: GraphState
  /** True of a mem that is or was in the graph. */
  isKnown: (id: string) => boolean
  dir: string
  check: ProjectCheck
}

interface Chosen {
  session: ReadSession
  candidate: Candidate
}

/**
 * The few records worth keeping of all past sessions, at most four of each: merged over sessions, compared with what is
 * known, and checked against the project of today.
 */
export function* chooseRecords(input: ChooseInput): Pausing<SourceRecord[]> {
  const records: SourceRecord[] = []
  for (const each of yield* choose(input)) {
    records.push(recordOf(each, input))
    yield
  }
  return records
}

function* choose(input: ChooseInput): Pausing<Chosen[]> {
  const newestFirst = input.sessions.toSorted((a, b) => (a.ended > b.ended ? -1 : 1))
  const ended = newestFirst.flatMap(({ endedRules, ended: at }) => endedRules.map((text) => ({ text, at })))
  const installed = new Set(newestFirst.flatMap((session) => session.installed))
  const chosen: Chosen[] = []
  const texts = new Set<string>()
  const count = new Map<string, number>()
  for (const session of newestFirst) {
    const merged = [...session.candidates].sort((a, b) => b.worth - a.worth)
    for (const candidate of merged) {
      yield
      if (candidate.worth < MIN_WORTH) break
      // Earlier open ends have been done since, or given up.
      if (candidate.kind === "open" && session !== newestFirst[0]) continue
      add({ session, candidate })
    }
  }
  for (const each of commandsOf(newestFirst, input.check)) {
    const free = each.sessions.find(({ key }) => (count.get(key) ?? 0) < MAX_PER_SESSION)
    if (free !== undefined) add({ session: free, candidate: each.candidate })
  }
  for (const each of yield* filesTogether(newestFirst, input.check)) add(each)
  return chosen.sort((a, b) => (a.candidate.at < b.candidate.at ? -1 : 1))

  function add(each: Chosen): void {
    const { session } = each
    const used = count.get(session.key) ?? 0
    if (used >= MAX_PER_SESSION || !isWorthKeeping(each)) return
    count.set(session.key, used + 1)
    chosen.push(each)
    texts.add(each.candidate.text)
  }

  function isWorthKeeping({ candidate: { kind, text, at, quote } }: Chosen): boolean {
    // Older ones are compared by their text only: comparing all with all would take hours for thousands of sessions.
    const near = chosen.slice(-COMPARED)
    if (texts.has(text) || near.some((other) => isSame(other.candidate, { kind, text, quote }))) return false
    if (input.check.goneDependency(text, installed) !== undefined) return false
    if (kind !== "rule") return true
    return (
      !ended.some((each) => each.at >= at && isAboutSame(each.text, text)) &&
      !isStatedInProject(input.dir, text)
    )
  }
}

/** The newer one is there already: an older one that says the same, or another value of it, is left out. */
function isSame(
  newer: Pick<Candidate, "kind" | "text" | "quote">,
  older: Pick<Candidate, "kind" | "text" | "quote">,
): boolean {
  if (newer.text === older.text || newer.quote === older.quote) return true
  const relation = relationOf(newer.text, older.text)
  if (relation === "same" || (relation !== undefined && newer.kind === "rule" && older.kind === "rule"))
    return true
  const [one, other] = [subjectWords(newer.text), subjectWords(older.text)]
  const shared = [...one].filter((word) => other.has(word)).length
  return shared >= MIN_SHARED && shared >= SHARE * Math.min(one.size, other.size)
}

/** Commands that passed again and again, counted over all sessions; with those in which they passed, newest first. */
function commandsOf(
  newestFirst: readonly ReadSession[],
  check: ProjectCheck,
): { candidate: Candidate; sessions: ReadSession[] }[] {
  const all = new Map<string, CommandRuns & { sessions: ReadSession[] }>()
  for (const session of newestFirst)
    for (const each of session.commands) {
      const there = all.get(each.command) ?? { ...each, runs: 0, passed: 0, sessions: [] }
      there.runs += each.runs
      there.passed += each.passed
      there.lastPassed ??= each.lastPassed
      if (each.passed > 0) there.sessions.push(session)
      all.set(each.command, there)
    }
  return [...all.values()]
    .filter(({ passed, command }) => passed >= MIN_PASSED && check.isCommandThere(command))
    .sort((a, b) => b.passed - a.passed)
    .slice(0, MAX_COMMANDS)
    .flatMap(({ command, what, runs, passed, lastPassed, sessions }) => {
      if (lastPassed === undefined) return []
      const how = `passed ${passed === runs ? `all ${runs}` : `${passed} of ${runs}`} runs in past sessions`
      const text = `\`${command}\` ${what} this project: ${how}, last on ${lastPassed.at.slice(0, 10)}.`
      const candidate = { kind: "command", text, quote: command, by: "agent", files: [], worth: 3 } as const
      return [{ candidate: { ...candidate, ...lastPassed }, sessions }]
    })
}

/** Pairs of files that sessions mostly change together. */
function* filesTogether(newestFirst: readonly ReadSession[], check: ProjectCheck): Pausing<Chosen[]> {
  const alone = new Map<string, number>()
  const pairs = new Map<string, { count: number; session: ReadSession; files: [string, string] }>()
  for (const session of newestFirst) {
    const files = [...new Set(session.edited.flatMap((file) => check.fileNow(file) ?? []))]
      .sort()
      .slice(0, MAX_PAIRED)
    for (const [at, one] of files.entries()) {
      yield
      alone.set(one, (alone.get(one) ?? 0) + 1)
      for (const other of files.slice(at + 1)) {
        const pair = pairs.get(`${one}\n${other}`) ?? { count: 0, session, files: [one, other] }
        pair.count++
        pairs.set(`${one}\n${other}`, pair)
      }
    }
  }
  return [...pairs.values()]
    .filter(
      ({ count, files }) =>
        count >= MIN_TOGETHER && count >= MOSTLY * Math.max(...files.map((file) => alone.get(file) ?? 0)),
    )
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_PAIRS)
    .map(({ count, session, files }) => {
      const text = `${files.join(" and ")} change together: in ${counted(count, "past session")}.`
      const { branch, ended: at } = session
      return {
        session,
        candidate: {
          kind: "together",
          text,
          quote: files.join(" "),
          by: "agent",
          ids: [],
          at,
          branch,
          files,
          worth: 3,
        },
      }
    })
}

function recordOf({ session, candidate }: Chosen, { state, isKnown, dir, check }: ChooseInput): SourceRecord {
  const { kind, text, ids, quote, by, at } = candidate
  const place = `${AGENTS[session.agent]} session ${session.id}${ids[0] === undefined ? "" : `, message ${ids[0]}`}, ${at.slice(0, 10)}`
  const from = `${place}: ${shorten(quote, 80)}`
  const id = derivedId("history", kind, wordsOf(kind === "command" || kind === "together" ? quote : text))
  const mem = { kind: KINDS[kind], content: contentOf(candidate), shelf: "history" }
  if (!isKnown(id)) {
    // A record that a person removed is not imported again.
    if (kind === "rule" && isKnown(saidRuleId(text)))
      return { from, ignore: "a rule that was said and noted before" }
    const { same, replaced, conflicts } = findRelated(state, text, mem.kind)
    if (
      same.length > 0 ||
      findSameText(state, { id, ...mem, resolved: kind === "decision" ? true : null }) !== undefined
    )
      return { from, ignore: "known already" }
    if (replaced.length + conflicts.length > 0)
      return { from, ignore: "something saved since says otherwise" }
  }
  const files = candidate.files.map((file) => check.fileNow(file))
  const there = files.flatMap((file) => file ?? []).slice(0, MAX_FILES)
  const isGone = files.length > 0 && there.length === 0
  const source = `${place}, said by the ${by}: ${shorten(quote, MAX_QUOTE_CHARS)}`
  const tags = [
    "history",
    AGENTS[session.agent].toLowerCase().replaceAll(" ", "-"),
    ...(isGone ? ["files-gone"] : []),
  ]
  return {
    from,
    records: memRecords({
      ...{ id, ...mem, ...madeOf({ created: at }, session.began), origin: "history", tags },
      evidence: [source, ...withHashes(dir, there)],
      confidence: isGone ? GONE_CONFIDENCE : CONFIDENCE,
      ...(kind === "rule" && { scope: scopeIn(text) }),
    }),
    note: isGone ? "its files are gone: kept with less weight" : undefined,
  }
}

function contentOf({ kind, text, by }: Candidate): string {
  if (kind === "outcome") return /^done\b/i.test(text) ? text : `Done: ${text}`
  if (by === "agent" || kind === "rule") return text
  return `${kind === "decision" ? "Decided by the user" : "Said by the user"}: ${text}`
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ")
}

const KINDS: Readonly<Record<Candidate["kind"], Mem["kind"]>> = {
  ...{ rule: "rule", correction: "insight", decision: "decision", failed: "false_path", cause: "fact" },
  ...{ outcome: "fact", command: "pattern", open: "insight", together: "pattern" },
}
const MAX_PER_SESSION = 4
const COMPARED = 200
const MIN_WORTH = 3
const MIN_PASSED = 2
const MAX_COMMANDS = 5
const MAX_PAIRED = 30
const MIN_TOGETHER = 3
const MOSTLY = 0.6
const MAX_PAIRS = 3
const MAX_FILES = 8
const MAX_QUOTE_CHARS = 240
const MIN_SHARED = 3
const SHARE = 0.5
// As all that is made by rule; less where its files are gone.
const CONFIDENCE = 0.6
const GONE_CONFIDENCE = 0.3
