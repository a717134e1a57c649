import { isCommitCommand } from "../shared/commit-command.ts"
import type { OpShape } from "./op.ts"
import type { Kind } from "./records.ts"
import type { Metrics } from "./session.ts"

/*
 * What format 1 (version 0.1) wrote, in today's shape. Lines and records are converted whenever they are read: the
 * history is never rewritten, and a line of an older process may still come late. What has today's shape is left alone.
 */

type Fields = Record<string, unknown>

/** A record with the fields that format 1 did not have. */
export function upgradeRecord(kind: Kind, record: Fields): Fields {
  if (kind === "mem" && record["origin"] === undefined) return { ...record, origin: memOrigin(record) }
  if (kind === "task" && record["purpose"] === undefined) return { ...record, purpose: taskPurpose(record) }
  if (kind === "plan" && record["purpose"] === undefined) return { ...record, purpose: planPurpose(record) }
  // Only a person could have set it; nothing ever read it.
  if (kind === "session" && record["status"] === "archived") return { ...record, status: "closed" }
  if (kind === "checkpoint" && record["did"] === undefined)
    return { ...record, did: checkpointDid(record), removed: checkpointRemoved(record) }
  return record
}

/** Format 1 counted compactions. */
export function upgradeOp(op: OpShape): OpShape {
  if (op.op !== "count" || op.name !== COMPACTIONS) return op
  return { op: "compaction", session: op.session }
}

/** A mem that a rule made was one that is not quite sure, on the shelf of that rule. */
function memOrigin({ confidence, shelf }: Fields): string {
  const isByRule = typeof confidence === "number" && confidence < 1
  return (isByRule && ORIGIN_OF_SHELF.get(shelf)) || "saved"
}

function taskPurpose({ title, delegated_by, assigned_to }: Fields): string {
  if (assigned_to !== "hive-investigator" || !String(title).startsWith("Find out: ")) return "work"
  const isReport = delegated_by === HIVEMIND && String(title).startsWith("Find out: what must be kept")
  return isReport ? "report" : "research"
}

/** One that an agent's own question made is a plan like any other: its session works on it. */
function planPurpose({ title, owned_by }: Fields): string {
  return title === "Research" && owned_by === HIVEMIND ? "research" : "work"
}

/** The summary of a checkpoint began with what its command had checked. */
function checkpointDid({ summary, command }: Fields): string[] {
  const check = /^(verify|test|build): /.exec(String(summary))?.[1]
  const isCommit = typeof command === "string" && isCommitCommand(command)
  return [...(check === undefined ? [] : [check]), ...(isCommit ? ["commit"] : [])]
}

/** Of the tools of that time, only the one for patches could delete a file; which of its files is not known. */
function checkpointRemoved({ tool, files }: Fields): unknown {
  return String(tool).includes("patch") ? files : []
}

/**
 * The metrics of a session with values and times as registers; format 1 kept everything as counters and set them by
 * adding the difference. Fingerprints are dropped: they stand for calls, updates and tasks in another way today.
 */
export function upgradeMetrics(metrics: Metrics): Metrics {
  const counts = new Map(Object.entries(metrics.counts))
  const registers = new Map<string, string | number>()
  const take = (name: string): number | undefined => {
    const value = counts.get(name)
    counts.delete(name)
    return value
  }

  for (const name of VALUES) {
    const value = take(name)
    if (value !== undefined) registers.set(name, Math.max(0, value))
  }
  const minute = take("minute_began")
  if (minute !== undefined) registers.set("minute_began", minute * SECOND_MS)
  for (const name of FINGERPRINTS) counts.delete(name)
  for (const name of [...counts.keys()]) {
    const [, what = "", signal = ""] = /^(told|acknowledged) (.+)$/.exec(name) ?? []
    if (what === "") continue
    const value = take(name) ?? 0
    if (what === "told" && value > 0) registers.set(`warned ${signal}`, value * SECOND_MS)
    const severity = SEVERITIES[value - 1]
    if (what === "acknowledged" && severity !== undefined) registers.set(name, severity)
  }
  const words = [...counts.keys()].filter((name) => name.startsWith("words "))
  if (words.length > 0)
    counts.set(
      "stuck_words",
      words.reduce((sum, name) => sum + (take(name) ?? 0), 0),
    )
  const reads = take("reads_in_row")
  if (reads !== undefined) counts.set("reads", reads)
  for (const row of ROWS) {
    const inRow = take(`${row === "tool_failures" ? "failures" : row}_in_row`) ?? counts.get(row)
    const before = `${row} before row`
    if (inRow === undefined || metrics.registers[before] !== undefined) continue
    registers.set(before, (counts.get(row) ?? 0) - Math.max(0, inRow))
  }
  const compactions = take(COMPACTIONS) ?? 0
  if (registers.size === 0 && counts.size === Object.keys(metrics.counts).length) return metrics
  return {
    id: metrics.id,
    counts: Object.fromEntries(counts),
    registers: { ...Object.fromEntries(registers), ...metrics.registers },
    compactions: metrics.compactions + Math.max(0, compactions),
  }
}

const HIVEMIND = "hivemind"
const COMPACTIONS = "compactions"
const ORIGIN_OF_SHELF = new Map<unknown, string>([
  ["done", "finished_task"],
  ["commits", "commit"],
  ["decisions", "anchor"],
  ["synthesis", "export"],
])
const VALUES = [
  "exports",
  "syntheses",
  "most_cancels",
  "calls_last_minute",
  "calls_before_minute",
  "words_at_call",
]
const FINGERPRINTS = ["last_call", "last_update", "task_at_hand"]
const ROWS = [
  "tool_failures",
  "cancels",
  "reads",
  "writes_without_task",
  "same_calls",
  "same_updates",
  "turns_on_task",
  "stuck_words",
]
const SEVERITIES = ["low", "medium", "high"]
const SECOND_MS = 1000
