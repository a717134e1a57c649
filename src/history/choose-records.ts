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
import { type Candidate, candidateFrom } from "./extract/candidates.ts"
import type { CommandRuns } from "./extract/runs.ts"
import { AGENTS } from "./read/step.ts"
import type { ReadSession } from "./read-session.ts"

export interface ChooseInput {
  sessions: readonly ReadSession[]
  state: GraphState
  /** True for a mem that is or was in the graph. */
  isKnown: (id: string) => boolean
  dir: string
  check: ProjectCheck
}

interface Chosen {
  session: ReadSession
  candidate: Candidate
}

/** Chooses the few records that are worth importing from all past sessions. */
export function* chooseRecords(input: ChooseInput): Pausing<SourceRecord[]> {
  const { check } = input
  const newestFirst = input.sessions.toSorted((a, b) => (a.ended > b.ended ? -1 : 1))
  const ended = newestFirst.flatMap(({ endedRules, ended: at }) => endedRules.map((text) => ({ text, at })))
  const installed = new Set(newestFirst.flatMap((session) => session.installed))
  const chosen: Chosen[] = []
  const texts = new Set<string>()
  const count = new Map<ReadSession, number>()
  for (const session of newestFirst)
    for (const candidate of session.candidates) {
      yield
      // To-do items that an earlier session left open are no longer open: they were done or given up.
      const isOver = candidate.kind === "open" && session !== newestFirst[0]
      if (!isOver && candidate.worth >= MIN_WORTH) add([session], candidate)
    }
  for (const { sessions, candidate } of [
    ...commandsOf(newestFirst, check),
    ...(yield* filesTogether(newestFirst, check)),
  ])
    add(sessions, candidate)
  const records: SourceRecord[] = []
  for (const each of chosen.sort((a, b) => (a.candidate.at < b.candidate.at ? -1 : 1))) {
    records.push(recordOf(each, input))
    yield
  }
  return records

  function add(sessions: readonly ReadSession[], candidate: Candidate): void {
    const session = sessions.find((each) => (count.get(each) ?? 0) < MAX_PER_SESSION)
    if (session === undefined || !isWorthKeeping(candidate)) return
    count.set(session, (count.get(session) ?? 0) + 1)
    chosen.push({ session, candidate })
    texts.add(candidate.text)
  }

  function isWorthKeeping(candidate: Candidate): boolean {
    const { kind, text, at } = candidate
    // Only the candidates chosen last are compared in full: comparing all pairs of thousands of sessions would take hours.
    const near = chosen.slice(-COMPARED)
    if (texts.has(text) || near.some((newer) => isSame(newer.candidate, candidate))) return false
    if (check.goneDependency(text, installed) !== undefined) return false
    if (kind !== "rule") return true
    const isEnded = ended.some((each) => each.at >= at && isAboutSame(each.text, text))
    return !isEnded && !isStatedInProject(input.dir, text)
  }
}

/** True if an older candidate adds nothing to a newer one: both have the same quote, or are about the same thing. */
function isSame(newer: Candidate, older: Candidate): boolean {
  if (newer.quote === older.quote) return true
  const relation = relationOf(newer.text, older.text)
  if (relation === "same" || (relation !== undefined && newer.kind === "rule" && older.kind === "rule"))
    return true
  const [one, other] = [subjectWords(newer.text), subjectWords(older.text)]
  const shared = [...one].filter((word) => other.has(word)).length
  return shared >= MIN_SHARED && shared >= SHARE * Math.min(one.size, other.size)
}

interface Repeated {
  sessions: readonly ReadSession[]
  candidate: Candidate
}

/** Commands that passed repeatedly, counted over all sessions. */
function commandsOf(newestFirst: readonly ReadSession[], check: ProjectCheck): Repeated[] {
  const runs = new Map<string, (CommandRuns & { session: ReadSession })[]>()
  for (const session of newestFirst)
    for (const each of session.commands) addTo(runs, each.command, { session, ...each })
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
  return [...runs]
    .filter(([command]) => check.isCommandThere(command))
    .flatMap(([command, own]) => {
      const passing = own.filter(({ passed }) => passed > 0)
      const [last] = passing
      const [all, passed] = [sum(own.map((each) => each.runs)), sum(own.map((each) => each.passed))]
      if (last === undefined || passed < MIN_PASSED) return []
      const how = `passed ${passed === all ? `all ${all}` : `${passed} of ${all}`} runs in past sessions`
      const text = `\`${command}\` ${last.does} this project: ${how}, last on ${last.at.slice(0, 10)}.`
      const candidate = candidateFrom(last, { kind: "command", text, quote: command, worth: 3 })
      return [{ sessions: passing.map(({ session }) => session), candidate, passed }]
    })
    .sort((a, b) => b.passed - a.passed)
    .slice(0, MAX_COMMANDS)
}

function* filesTogether(newestFirst: readonly ReadSession[], check: ProjectCheck): Pausing<Repeated[]> {
  /** The sessions that changed a file or a pair of files. */
  const changes = new Map<string, ReadSession[]>()
  for (const session of newestFirst) {
    const files = [...new Set(session.edited.flatMap((file) => check.fileNow(file) ?? []))]
    for (const [at, file] of files.sort().slice(0, MAX_PAIRED).entries()) {
      yield
      const pairs = files.slice(at + 1, MAX_PAIRED).map((other) => `${file}\n${other}`)
      for (const key of [file, ...pairs]) addTo(changes, key, session)
    }
  }
  return [...changes]
    .flatMap(([key, sessions]) => {
      const files = key.split("\n")
      const most = Math.max(...files.map((file) => changes.get(file)?.length ?? 0))
      const [last] = sessions
      const isPair = files.length > 1 && sessions.length >= Math.max(MIN_TOGETHER, MOSTLY * most)
      if (last === undefined || !isPair) return []
      const text = `${files.join(" and ")} change together: in ${counted(sessions.length, "past session")}.`
      const quote = files.join(" ")
      const step = { ids: [], at: last.ended }
      return [
        { sessions, candidate: candidateFrom(step, { kind: "together", text, quote, files, worth: 3 }) },
      ]
    })
    .sort((a, b) => b.sessions.length - a.sessions.length)
    .slice(0, MAX_PAIRS)
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function recordOf({ session, candidate }: Chosen, { state, isKnown, dir, check }: ChooseInput): SourceRecord {
  const { kind, text, ids, quote, by, at } = candidate
  const message = ids[0] === undefined ? "" : `, message ${ids[0]}`
  const place = `${AGENTS[session.agent]} session ${session.id}${message}, ${at.slice(0, 10)}`
  const from = `${place}: ${shorten(quote, 80)}`
  const id = derivedId("history", kind, wordsOf(kind === "command" || kind === "together" ? quote : text))
  const mem = { kind: KINDS[kind], content: contentOf(candidate), shelf: "history" }
  if (!isKnown(id)) {
    // HiveMind saved this rule when the user said it. If a person has removed it since, it must not come back.
    if (kind === "rule" && isKnown(saidRuleId(text)))
      return { from, ignore: "a rule of the user that HiveMind has saved before" }
    const { same, replaced, conflicts } = findRelated(state, text, mem.kind)
    const resolved = kind === "decision" ? true : null
    if (same.length > 0 || findSameText(state, { id, ...mem, resolved }) !== undefined)
      return { from, ignore: "known already" }
    if (replaced.length + conflicts.length > 0)
      return { from, ignore: "a mem that was saved later contradicts it" }
  }
  const there = candidate.files.flatMap((file) => check.fileNow(file) ?? []).slice(0, MAX_FILES)
  const isGone = candidate.files.length > 0 && there.length === 0
  const source = `${place}, said by the ${by}: ${shorten(quote, MAX_QUOTE_CHARS)}`
  const agent = AGENTS[session.agent].toLowerCase().replaceAll(" ", "-")
  return {
    from,
    records: memRecords({
      ...{ id, ...mem, ...madeOf({ created: at }, session.began), origin: "history" },
      tags: ["history", agent, ...(isGone ? ["files-gone"] : [])],
      evidence: [source, ...withHashes(dir, there)],
      confidence: isGone ? GONE_CONFIDENCE : CONFIDENCE,
      ...(kind === "rule" && { scope: scopeIn(text) }),
    }),
    note: isGone ? "the files that it names are gone: imported with less confidence" : undefined,
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
// The confidence of mems from past sessions. It is lower if a file that the mem names is gone.
const CONFIDENCE = 0.6
const GONE_CONFIDENCE = 0.3
