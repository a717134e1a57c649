/**
 * Long work as a generator that pauses between small pieces, so that one body serves both callers: those who can wait
 * for it in one go, and those who must leave the event loop free.
 */
export type Pausing<T> = Generator<void, T, void>

/** In one go. */
export function runToEnd<T>(work: Pausing<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** In slices: after each, everything else that waits gets its turn, other work in slices included. */
export async function runInSlices<T>(work: Pausing<T>): Promise<T> {
  for (;;) {
    const now = performance.now()
    // Works that follow on each other without a turn in between share one slice. A start in the future comes from a replaced clock.
    if (Math.abs(now - turnStarted) > SAME_TURN_MS) turnStarted = now
    const until = turnStarted + SLICE_MS
    do {
      const { done, value } = work.next()
      if (done) return value
    } while (performance.now() < until)
    await nextTurn()
  }
}

/** One slice per turn of the event loop: several long works at once hold it no longer than one does. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(wakeOne)
  })
}

function wakeOne(): void {
  turnStarted = performance.now()
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(wakeOne)
}

const waiting: (() => void)[] = []
let turnStarted = Number.NEGATIVE_INFINITY
// Together with the piece that runs over, and what the garbage collector adds, well below what a person or a host's screen notices.
const SLICE_MS = 4
// Nobody tells when a turn begins that others have caused: one that began longer ago than this is most likely over.
const SAME_TURN_MS = 16
