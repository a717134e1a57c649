import type { Mem } from "../../schemas/knowledge.ts"
import { HOUR_MS } from "../../shared/time.ts"

/** A mem that a rule made. Nobody has confirmed it, so it counts less than one that was saved. */
export function isByRule({ origin }: Pick<Mem, "origin">): boolean {
  return origin !== "saved"
}

/** A mem that a rule made of what somebody has done. What a scan has read in the project's files is no such guess. */
export function isUnconfirmed({ origin }: Pick<Mem, "origin">): boolean {
  return origin !== "saved" && origin !== "scan"
}

type RuleMem = Pick<Mem, "id" | "shelf" | "kind" | "content" | "session_id" | "stamp"> & {
  origin: Exclude<Mem["origin"], "saved">
} & Partial<
    Pick<Mem, "origin_task_id" | "tags" | "evidence" | "resolved" | "supersedes" | "related_to" | "branch">
  >

/** Its time and branch are those of what it is about, not of now: every process makes the same record. */
export function memByRule(fields: RuleMem, at: string, staleAfterHours: number): Mem {
  return {
    origin_task_id: null,
    tags: [],
    resolved: null,
    supersedes: null,
    parent_mem_id: null,
    related_to: [],
    reason: null,
    branch: null,
    status: "active",
    confidence: CONFIDENCE,
    ...fields,
    evidence: (fields.evidence ?? []).filter(isNameable).slice(0, MAX_EVIDENCE),
    // A decision lasts, whoever noted it.
    stale_at:
      fields.kind === "decision" ? null : new Date(Date.parse(at) + staleAfterHours * HOUR_MS).toISOString(),
    created_at: at,
    updated_at: at,
  }
}

function isNameable(path: string): boolean {
  return path.trim() !== "" && path.length <= MAX_PATH_CHARS
}

const CONFIDENCE = 0.6
export const MAX_EVIDENCE = 20
const MAX_PATH_CHARS = 500
