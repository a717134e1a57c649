import type { Mem } from "../../schemas/knowledge.ts"

/** A mem that the user's words or the task at hand have brought back, hot or archived. */
export interface RecalledMem {
  mem: Mem
  /** The words that brought it. */
  reason: string
}
