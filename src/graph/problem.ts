import type { Kind } from "../schemas/records.ts"

/** The kinds of damage in the files. */
export type ProblemCode =
  /** The file exists, but the system does not let us read it. */
  | "unreadable"
  /** `.hivemind/` itself, or a file or folder in it, is a link. */
  | "link"
  /** A file among the segments of the log that is not one of them. */
  | "stray_segment"
  /** Entries that were read before are gone from the log. */
  | "lost_entries"
  /** A file that a fold wrote is gone. */
  | "missing_file"
  /** A file is not as it was written. */
  | "broken_file"
  /** A line of the log or the archive breaks its schema. */
  | "broken_line"
  /** The beginning of a line of the log: its write was interrupted before it was acknowledged. */
  | "torn_line"
  /** A change of a record that is not there. */
  | "missing_record"
  /** An ordered entry whose place another one has taken. */
  | "overtaken"
  /** A field points at a record that is not there. */
  | "broken_link"
  /** The same, and the only right answer was put in its place. */
  | "repaired_link"

/** Something in the files that could not be used as it is. The rest of the graph goes on without it. */
export interface Problem {
  code: ProblemCode
  /** `quarantined`: kept out of the graph. `warning`: in the graph, but a person should look. */
  level: "quarantined" | "warning"
  /** Relative to `.hivemind/`. */
  file: string
  kind: Kind | null
  /** Of the record, or of the entry. */
  id: string | null
  reason: string
  /** The text as the file has it. */
  raw: string | null
}

/** A problem that keeps something out of the graph. */
export function quarantined(
  code: ProblemCode,
  file: string,
  reason: string,
  more: Partial<Pick<Problem, "kind" | "id" | "raw">> = {},
): Problem {
  return { code, level: "quarantined", file, kind: null, id: null, reason, raw: null, ...more }
}
