import * as z from "zod"
import { branch, hash, hostSession, id, ids, line, made, path, text, time } from "./fields.ts"

export const memKind = z.enum(["insight", "fact", "decision", "pattern", "false_path", "rule"])
/** `saved`: by an agent or a person. `said`: by the user, in a message. The others: by HiveMind, following a rule. */
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

/** A memory: one thing worth knowing, and the task that it comes from. */
export const mem = z.strictObject({
  id,
  origin_task_id: id.nullable(),
  session_id: hostSession.nullable(),
  shelf,
  origin: memOrigin,
  kind: memKind,
  /** `superseded`: replaced by a newer mem. `invalidated`: wrong, kept as a warning. `purged`: never shown again. */
  status: z.enum(["active", "superseded", "invalidated", "purged"]),
  content: text,
  tags: z.array(z.string().trim().min(1).max(60)),
  /** Files as `path[:line]@hash`, or free text. */
  evidence: z.array(line),
  confidence: z.number().min(0).max(1),
  resolved: z.boolean().nullable(),
  supersedes: id.nullable(),
  /** Where a rule applies, such as a path, a language or "in tests". Null: everywhere. */
  scope: line.nullable().default(null),
  /** The larger mem that this one is a part of. */
  parent_mem_id: id.nullable().default(null),
  related_to: ids,
  reason: text.nullable(),
  stale_at: time.nullable(),
  branch,
  ...made,
})
export type Mem = z.infer<typeof mem>

/** A fact with a key. It is shown to the model again after a compaction. */
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

/** Normalizes a key: case and surrounding blanks do not count. */
export function anchorKey(key: string): string {
  return key.trim().toLowerCase()
}

/** A file that belongs to a task or a plan, with the last known hashes of the file and its sections. */
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
  hash: string | null
}

/** Splits an evidence text into path, lines and hash. Free text is returned as `path`. */
export function readEvidence(evidence: string): EvidenceRef {
  const hash = HASH.exec(evidence)?.[1]?.toLowerCase() ?? null
  const place = evidence.replace(HASH, "")
  const lines = LINES.exec(place)?.[1] ?? ""
  return { path: place.replace(LINES, ""), lines, hash }
}

const HASH = /@([0-9a-f]{7,64})$/i
const LINES = /(?<=.):(\d+(?:-\d+)?)$/
