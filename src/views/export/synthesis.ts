import { currentTask } from "../../graph/current-task.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { isDoneTask, isMemInForce } from "../../graph/lifecycle.ts"
import { numberIn, registersOf } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { memByRule } from "../../knowledge/memory/by-rule.ts"
import type { SessionExport } from "../../schemas/export.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Session } from "../../schemas/session.ts"
import { derivedId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { listExports } from "./export-folder.ts"

/** Makes a mem of every four exports of a session, which supersedes the session's previous one. */
export async function synthesise(hive: Hive, caller: Caller, session: Session, number: number) {
  const round = Math.floor(number / EXPORTS_PER_SYNTHESIS)
  if (numberIn(registersOf(hive.store.read().state, session.host_id), REGISTER) >= round) return null
  const mem = composeMem(hive, session, round)
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const done = numberIn(tx.get("metrics", session.host_id)?.registers ?? {}, REGISTER)
    if (done >= round) return null
    tx.register(session.host_id, REGISTER, round)
    if (mem === null || tx.get("mem", mem.id) !== undefined || hive.store.archive.has(mem.id)) return null
    const former = formerSynthesis(tx, session, round)
    tx.add("mem", { ...mem, supersedes: former?.id ?? null })
    if (former !== undefined) tx.set("mem", former.id, { status: "superseded", updated_at: mem.created_at })
    return tx.need("mem", mem.id)
  })
  return result
}

/** The mem of a round of four exports; null if the round had no results. */
function composeMem(hive: Hive, session: Session, round: number): Mem | null {
  const { state } = hive.store.read()
  const exports = exportsOfRound(hive, session, round)
  const content = exports.length === 0 ? "" : synthesisText(state, session.host_id, exports)
  if (content === "") return null
  const files = exports.flatMap((each) => each.files.filter(({ exists }) => exists).map(({ path }) => path))
  return memByRule(hive, new Date(hive.source.now()).toISOString(), {
    id: idOf(session, round),
    shelf: "synthesis",
    origin: "export",
    kind: "insight",
    content,
    session_id: session.host_id,
    origin_task_id: currentTask(state, session.host_id)?.id ?? null,
    evidence: [...new Set(files)],
  })
}

/** The exports of a round, oldest first. There can be fewer than four, because old exports are deleted. */
function exportsOfRound({ home }: Hive, session: Session, round: number): SessionExport[] {
  const from = (round - 1) * EXPORTS_PER_SYNTHESIS
  return listExports(hivePaths(home))
    .exports.map(({ record }) => record)
    .filter((record) => record.session.host_id === session.host_id)
    .filter(({ number }) => number > from && number <= from + EXPORTS_PER_SYNTHESIS)
    .sort((a, b) => a.number - b.number)
}

/** The mem of the newest earlier round that has one, if that mem is still in force. */
function formerSynthesis(tx: Transaction, session: Session, round: number): Mem | undefined {
  for (let earlier = round - 1; earlier > 0; earlier--) {
    const mem = tx.get("mem", idOf(session, earlier))
    if (mem !== undefined) return isMemInForce(mem) ? mem : undefined
  }
  return undefined
}

const idOf = ({ host_id }: Session, round: number): string => derivedId("synthesis", host_id, String(round))

/** The results of a round as text, or "" if it has none. The packed state has the rest: position and open decisions. */
function synthesisText(state: GraphState, hostId: string, exports: readonly SessionExport[]): string {
  const since = exports[0]?.since ?? ""
  const ended = [...state.task.by("session", hostId)].filter(
    (task) => task.updated_at > since && !isUnplanned(task),
  )
  const done = ended.filter(isDoneTask).map(({ title }) => title)
  const failed = ended
    .filter(({ status }) => status === "failed")
    .map(({ title, reason }) => (reason === null ? title : `${title} (${reason})`))
  const files = exports
    .toReversed()
    .flatMap((each) => each.files.filter(({ exists }) => exists).map(({ path }) => path))
  const issues = exports.at(-1)?.validation.issues ?? []
  const missing = issues.filter(({ kind }) => kind === "file").map(({ text }) => text)
  const said = exports.map(({ last_message }) => firstSentences(last_message ?? "")).filter(saysSomething)
  if (done.length + failed.length + missing.length + said.length === 0) return ""

  const parts = [
    list("done", done, 3, 60),
    list("failed", failed, 2, 80),
    list("files", files, 4, 60),
    list("missing", missing, 2, 60),
    list("said", said, 4, 120, " / "),
  ]
  return shorten(parts.filter((part) => part !== "").join("; "), MAX_CHARS)
}

/** The first sentence or two of a message, without code, headings and emphasis. */
export function firstSentences(message: string): string {
  const prose = message
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " ")
    .replaceAll(/^[ \t]*#{1,6} .*$/gm, " ")
    .replaceAll(/^[ \t]*(?:[>*+-]+|\d+\.)[ \t]+/gm, "")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
  for (const { index } of prose.matchAll(/[.!?](?= |$)|[。！？]/g)) {
    if (index >= MAX_SENTENCE_CHARS) break
    if (index >= MIN_SENTENCE_CHARS) return prose.slice(0, index + 1)
  }
  return shorten(prose, MAX_SENTENCE_CHARS)
}

/** False for short texts such as "ok" or "what now?". In scripts without spaces, every character counts as a word. */
const saysSomething = (sentence: string): boolean => (sentence.match(WORD) ?? []).length >= MIN_WORDS

function list(name: string, all: readonly string[], count: number, chars: number, separator = ", "): string {
  const items = [...new Set(all)]
  if (items.length === 0) return ""
  const shown = items.slice(0, count).map((item) => shorten(item, chars))
  const more = items.length > count ? [`+${items.length - count}`] : []
  return `${name}: ${[...shown, ...more].join(separator)}`
}

const WORD =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}|[\p{L}\p{N}]+/gu
const MIN_WORDS = 4
const MAX_CHARS = 700
// A sentence shorter than this, such as "Done.", is shown with the next one.
const MIN_SENTENCE_CHARS = 30
const MAX_SENTENCE_CHARS = 120

const EXPORTS_PER_SYNTHESIS = 4
const REGISTER = "syntheses"
