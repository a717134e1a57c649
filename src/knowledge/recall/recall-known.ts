import type { Hive } from "../../hive/hive.ts"
import { isIndexPartial } from "./mem-index.ts"
import { type Hit, type RecallOptions, recall } from "./recall.ts"
import { type FailedHit, recallFailed } from "./recall-failed.ts"
import { recallUnlanded } from "./recall-unlanded.ts"

/** All that is known about a query: mems, and apart from them what was tried and failed. */
export interface Known {
  mems: Hit[]
  failed: FailedHit[]
  /** Old files are still being taken over, and are too long to be looked through: some mems may be missing. */
  isCut: boolean
  /** Said to the asker while archived mems are still being put into the index: some may be missing. */
  notice: string | undefined
}

/** What whoever asks is told, an agent, a person or a program. Who wants mems of some kind only gets no tasks. */
export async function recallKnown(
  hive: Pick<Hive, "store">,
  query: string,
  options: RecallOptions = {},
): Promise<Known> {
  const here = await recall(hive, query, options)
  const { mems, isCut } = await recallUnlanded(hive, query, options, here)
  const notice = isIndexPartial(hive.store) ? PARTIAL : undefined
  if (options.kinds !== undefined || options.isArchived === true) return { mems, failed: [], isCut, notice }
  const failed = await recallFailed(hive, query, Math.min(MAX_FAILED, options.limit ?? MAX_FAILED))
  return { mems, failed: failed.filter(({ share }) => share >= CLEAR_SHARE), isCut, notice }
}

const PARTIAL =
  "The index of archived mems is still being built: some of them may be missing here. Ask again in a minute."
const MAX_FAILED = 3
// Who tried something about a single word of many was about something else.
const CLEAR_SHARE = 0.3
