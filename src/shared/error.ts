/** Explains to an agent or a person why something was not done, and what to do instead. */
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

/** The one error type of this code base. `message` is the refusal in one line, for logs and the command line. */
export class HiveError extends Error implements Refusal {
  override readonly name = "HiveError"
  readonly code: ErrorCode
  readonly what: string
  readonly why: string
  readonly use_instead: string
  readonly evidence: string

  constructor(refusal: Refusal, options?: { cause?: unknown }) {
    super(`${refusal.what} ${refusal.why}`, options)
    this.code = refusal.code
    this.what = refusal.what
    this.why = refusal.why
    this.use_instead = refusal.use_instead
    this.evidence = refusal.evidence
  }
}

/** Any thrown value as a refusal; a foreign error's message becomes the reason. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof HiveError) {
    const { code, what, why, use_instead, evidence } = error
    return { code, what, why, use_instead, evidence }
  }
  return {
    code: "internal",
    what: "Something in HiveMind failed.",
    why: error instanceof Error ? error.message : String(error),
    use_instead: "Go on without it; `hivemind doctor` says more.",
    evidence: error instanceof Error ? error.name : typeof error,
  }
}
