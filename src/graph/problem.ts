import type { Kind } from "../schemas/records.ts"

export type ProblemCode =
  /** The file exists, but the operating system refuses to read it. */
  | "unreadable"
  /** `.hivemind/`, or a file or folder in it, is a symbolic link. */
  | "link"
  /** A file in the log's folder is not a segment of the log. */
  | "stray_segment"
  /** Entries that were read earlier are missing from the log. */
  | "lost_entries"
  /** A file that a fold wrote is missing. */
  | "missing_file"
  /** A file was changed after HiveMind wrote it. */
  | "broken_file"
  /** A line of the log or the archive does not match its schema. */
  | "broken_line"
  /** A line of the log is incomplete, because its write was interrupted. The write had not been confirmed. */
  | "torn_line"
  /** An op changes a record that does not exist. */
  | "missing_record"
  /** An ordered entry's sequence number was already taken, so the entry has no effect. */
  | "overtaken"
  /** A field points at a record that does not exist. */
  | "broken_link"
  /** A field pointed at a record that does not exist, and HiveMind has repaired it. */
  | "repaired_link"

/** A problem with HiveMind's files. The rest of the graph is used. */
export interface Problem {
  code: ProblemCode
  /** `quarantined`: left out of the graph. `warning`: in the graph, but a person should check it. */
  level: "quarantined" | "warning"
  /** The path of the damaged file, relative to `.hivemind/`. */
  file: string
  kind: Kind | null
  id: string | null
  reason: string
  raw: string | null
}

export function quarantined(
  code: ProblemCode,
  file: string,
  reason: string,
  more: Partial<Pick<Problem, "kind" | "id" | "raw">> = {},
): Problem {
  return { code, level: "quarantined", file, kind: null, id: null, reason, raw: null, ...more }
}
