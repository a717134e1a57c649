import * as z from "zod"
import { branch, hash, hostSession, id, ids, line, made, path, text, time } from "./fields.ts"

export const memKind = z.enum(["insight", "fact", "decision", "pattern", "false_path", "rule"])
/** `saved` by an agent or a person, `said` by the user in a message; else the source that a rule made it from, and then it is unconfirmed. */
const memOrigin = z.enum([
  "saved",
  "finished_task",
  "commit",
  "anchor",
  "export",
  "scan",
  "correction",
  "said",
  "history",
])
export const shelf = z.string().trim().min(1).max(60)

/** A memory: one thing worth knowing, tied to the task it came from. */
export const mem = z.strictObject({
  id,
  origin_task_id: id.nullable(),
  session_id: hostSession.nullable(),
  shelf,
  origin: memOrigin,
  kind: memKind,
  /**
   * A newer mem or a rule sets `superseded`. `invalidated`: taken back, kept as a warning. `purged`: shown nowhere again.
   */
  status: z.enum(["active", "superseded", "invalidated", "purged"]),
  content: text,
  tags: z.array(z.string().trim().min(1).max(60)),
  /** `path[:line]@hash` of a file, or words: the evidence for the mem. */
  evidence: z.array(line),
  confidence: z.number().min(0).max(1),
  /** For a decision: taken or still open. */
  resolved: z.boolean().nullable(),
  supersedes: id.nullable(),
  /** Of a rule: where it holds, such as a path, a language or "in tests". Null: everywhere. */
  scope: line.nullable().default(null),
  /** The larger mem that it is a part of. */
  parent_mem_id: id.nullable().default(null),
  related_to: ids,
  reason: text.nullable(),
  stale_at: time.nullable(),
  branch,
  ...made,
})
export type Mem = z.infer<typeof mem>

/** A fact that survives compaction, by key. */
export const anchor = z.strictObject({
  id,
  key: z.string().trim().min(1).max(120),
  value: text,
  priority: z.enum(["critical", "high", "medium", "low"]),
  type: z.enum(["task", "decision", "file", "agent", "phase", "context"]),
  status: z.enum(["active", "stale", "removed"]),
  session_id: hostSession.nullable(),
  related_to: ids,
  branch,
  ...made,
})
export type Anchor = z.infer<typeof anchor>

/** Keys that differ in case or blanks around them only are one key. */
export function anchorKey(key: string): string {
  return key.trim().toLowerCase()
}

/** A file that matters to a task or a plan, with the hashes it was seen with. */
export const artifact = z.strictObject({
  id,
  path,
  task_id: id.nullable(),
  plan_id: id.nullable(),
  hash: hash.nullable(),
  sections: z.array(z.strictObject({ heading: line, hash })),
  status: z.enum(["current", "changed", "superseded", "abandoned"]),
  superseded_by: id.nullable(),
  ...made,
})
export type Artifact = z.infer<typeof artifact>

/** A file that a mem names as its evidence: `path`, `path:12`, `path:12-20`, each with or without `@hash`. */
export interface EvidenceRef {
  path: string
  /** `12` or `12-20`; empty without line numbers. */
  lines: string
  /** The first 7 to 64 digits of the file's hash; null without one. */
  hash: string | null
}

/** The parts of an evidence text. It may be prose instead of a path, so the file is not looked up. */
export function readEvidence(evidence: string): EvidenceRef {
  const hash = HASH.exec(evidence)?.[1]?.toLowerCase() ?? null
  const place = evidence.replace(HASH, "")
  const lines = LINES.exec(place)?.[1] ?? ""
  return { path: place.replace(LINES, ""), lines, hash }
}

const HASH = /@([0-9a-f]{7,64})$/i
const LINES = /(?<=.):(\d+(?:-\d+)?)$/
