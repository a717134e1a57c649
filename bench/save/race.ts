import { mean } from "../figures.ts"
import { type SampleMem, sampleMem } from "../sample-mem.ts"
import type { Contender } from "./contender.ts"

export interface Lane {
  contender: Contender
  /** Every save that counts. */
  ms: number[]
}

/**
 * Lets all lanes take turns in many short batches, so that whatever else the machine does hits all of them alike.
 * A lane that is slow gets fewer saves per batch.
 */
export async function race(lanes: Lane[], rounds: number, progress: (round: number) => void): Promise<void> {
  const batches = new Map<Lane, number>()
  let next = FIRST_NEW_MEM
  const mems = (count: number): SampleMem[] => Array.from({ length: count }, () => sampleMem(next++))

  for (const lane of lanes) {
    await lane.contender.save(mems(1))
    const warm = await lane.contender.save(mems(2))
    const fitting = Math.floor(BATCH_MS / mean(warm))
    batches.set(lane, Math.max(1, Math.min(MAX_BATCH, fitting)))
  }
  for (let round = 1; round <= rounds; round++) {
    progress(round)
    // Back and forth, so that nobody always comes after the same neighbour.
    for (const lane of round % 2 === 0 ? lanes.toReversed() : lanes) {
      lane.ms.push(...(await lane.contender.save(mems(batches.get(lane) ?? 1))))
    }
  }
}

const BATCH_MS = 400
const MAX_BATCH = 25
const FIRST_NEW_MEM = 1_000_000
