import type { Pausing } from "../../src/shared/slices.ts"

/** How often work has paused since the last `reset`: all that ran in slices, and the longest that ran in one go. */
export const pauses = { inSlices: 0, inOneGo: 0 }

export function resetPauses(): void {
  Object.assign(pauses, { inSlices: 0, inOneGo: 0 })
}

/** `shared/slices.ts` that counts; for `vi.mock`. */
export async function countingSlices(importOriginal: () => Promise<unknown>) {
  const { runToEnd, runInSlices } = (await importOriginal()) as typeof import("../../src/shared/slices.ts")
  return {
    runToEnd: <T>(work: Pausing<T>): T => {
      let count = 0
      return runToEnd(counted(work, () => (pauses.inOneGo = Math.max(pauses.inOneGo, ++count))))
    },
    runInSlices: <T>(work: Pausing<T>): Promise<T> => runInSlices(counted(work, () => pauses.inSlices++)),
  }
}

function* counted<T>(work: Pausing<T>, onPause: () => unknown): Pausing<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    onPause()
    yield
  }
}
