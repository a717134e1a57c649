/** Tells an agent or a person why HiveMind did not do something, and what to do instead. */
export interface Refusal {
  code: ErrorCode
  what: string
  why: string
  use_instead: string
  evidence: string
}

export type ErrorCode =
  | "invalid_argument"
  | "invalid_record"
  | "not_found"
  | "orphan"
  | "duplicate"
  | "cycle"
  | "lifecycle"
  | "conflict"
  | "in_use"
  | "no_project"
  | "not_readable"
  | "not_writable"
  | "disk_full"
  | "newer_format"
  | "locked"
  | "unconfirmed"
  | "closed"
  | "broken_config"
  | "host_missing"
  | "git_failed"
  | "protected"
  | "destructive"
  | "role"
  | "scope"
  | "not_allowed"
  | "no_task"
  | "no_delegation"
  | "wrong_agent"
  | "depth"
  | "circle"
  | "internal"

/** The only error type that this code base throws on purpose. `message` is made of `what` and `why`. */
export class HiveError extends Error implements Refusal {
  override readonly name = "HiveError"
  declare readonly code: ErrorCode
  declare readonly what: string
  declare readonly why: string
  declare readonly use_instead: string
  declare readonly evidence: string

  constructor(refusal: Refusal, options?: { cause?: unknown }) {
    const { code, what, why, use_instead, evidence } = refusal
    super(`${what} ${why}`, options)
    Object.assign(this, { code, what, why, use_instead, evidence })
  }
}

/** Converts any thrown value to a refusal. The message of an unexpected error becomes `why`. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof HiveError) {
    const { code, what, why, use_instead, evidence } = error
    return { code, what, why, use_instead, evidence }
  }
  return {
    code: "internal",
    what: "HiveMind had an internal error.",
    why: error instanceof Error ? error.message : String(error),
    use_instead: "Continue without it, or run `hivemind doctor` for details.",
    evidence: error instanceof Error ? error.name : typeof error,
  }
}
