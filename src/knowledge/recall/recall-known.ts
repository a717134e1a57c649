import type { Hive } from "../../hive/hive.ts"
import { type Hit, type RecallOptions, recall } from "./recall.ts"
import { type FailedHit, recallFailed } from "./recall-failed.ts"
import { recallUnlanded } from "./recall-unlanded.ts"

/** All that is known about a query: mems, and apart from them what was tried and failed. */
export interface Known {
  mems: Hit[]
  failed: FailedHit[]
  /** Old files are still being taken over, and are too long to be looked through: some mems may be missing. */
  isCut: boolean
}

/** What whoever asks is told, an agent, a person or a program. Who wants mems of some kind only gets no tasks. */
export async function recallKnown(
  hive: Pick<Hive, "store">,
  query: string,
  options: RecallOptions = {},
): Promise<Known> {
  const here = await recall(hive, query, options)
  const { mems, isCut } = await recallUnlanded(hive, query, options, here)
  if (options.kinds !== undefined || options.isArchived === true) return { mems, failed: [], isCut }
  const failed = await recallFailed(hive, query, Math.min(MAX_FAILED, options.limit ?? MAX_FAILED))
  return { mems, failed: failed.filter(({ share }) => share >= CLEAR_SHARE), isCut }
}

const MAX_FAILED = 3
// Who tried something about a single word of many was about something else.
const CLEAR_SHARE = 0.3
