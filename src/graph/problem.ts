import type { Kind } from "../schemas/records.ts"

/** Something in the files that could not be used as it is. The rest of the graph goes on without it. */
export interface Problem {
  /** `quarantined`: kept out of the graph. `warning`: in the graph, but someone should look. */
  level: "quarantined" | "warning"
  /** Relative to `.hivemind/`. */
  file: string
  kind: Kind | null
  id: string | null
  reason: string
  /** The text as it stands in the file. */
  raw: string | null
}
