/** Long work as a generator that yields between small pieces, so that it can run without blocking the event loop. */
export type Pausing<T> = Generator<void, T, void>

export function runToEnd<T>(work: Pausing<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Runs the work in slices of a few milliseconds. Between slices the event loop is free. */
export async function runInSlices<T>(work: Pausing<T>): Promise<T> {
  for (;;) {
    const now = performance.now()
    // All work in one turn of the event loop shares one slice. `Math.abs`: tests may set the clock back.
    if (Math.abs(now - turnStarted) > SAME_TURN_MS) turnStarted = now
    const until = turnStarted + SLICE_MS
    do {
      const { done, value } = work.next()
      if (done) return value
    } while (performance.now() < until)
    await nextTurn()
  }
}

/** Waits for a later turn of the event loop. Each turn resumes only one of the waiting generators. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    // One `setImmediate` would run before the timers that are due; after the second one they have run.
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
// Short enough that nobody notices the delay, even if a piece overruns or garbage is collected.
const SLICE_MS = 4
// Work that starts within this time of a slice is assumed to be in the same turn of the event loop.
const SAME_TURN_MS = 16
