/**
 * Long work as a generator that pauses between small pieces, so that the same code can run at once or in slices that leave
 * the event loop free.
 */
export type Pausing<T> = Generator<void, T, void>

/** In one go. */
export function runToEnd<T>(work: Pausing<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** In slices: after each, other waiting work runs, other work in slices included. */
export async function runInSlices<T>(work: Pausing<T>): Promise<T> {
  for (;;) {
    const now = performance.now()
    // Works that run in the same turn of the event loop share one slice. A start in the future comes from a mocked clock.
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
    // `setImmediate` runs in the same turn as I/O callbacks, before any timer: two of them wait for a whole turn.
    if (waiting.length === 1) setImmediate(() => setImmediate(wakeOne))
  })
}

function wakeOne(): void {
  turnStarted = performance.now()
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(wakeOne)
}

const waiting: (() => void)[] = []
let turnStarted = Number.NEGATIVE_INFINITY
// Well below a noticeable delay, also with a piece that overruns and a garbage collection.
const SLICE_MS = 4
// Other code may have started a new turn of the event loop: after this time the last one is most likely over.
const SAME_TURN_MS = 16
