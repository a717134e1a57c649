import type { GraphState } from "../../../../src/graph/state.ts"
import type { Config } from "../../../../src/schemas/config.ts"
import type { Mem } from "../../../../src/schemas/knowledge.ts"
import type { Trajectory } from "../../../../src/schemas/session.ts"

/** The graph as it is, for comparison. */
export interface Truth {
  state: GraphState
  head: Trajectory
  archive: ReadonlyMap<string, Mem>
  evidence: (evidence: string) => boolean
  /** A plan's document, and which of its sections were edited, in words. */
  documentOf: (plan: string) => { path: string; edited: string }
  now: number
  commitAfterFiles: number
  /** A subagent's. */
  isScoped: boolean
  session: string
  detection: Config["detection"]
}
