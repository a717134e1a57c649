/** Long work as a generator. Each `yield` is a point at which other work may run. */
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
    // All work in one turn of the event loop shares one slice. `Math.abs`: a test may set the clock back.
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
    // After one `setImmediate`, timers that are due have not run yet; after two they have.
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
// Well below the bar of 20 ms, because one piece may take longer and a garbage collection may come on top.
const SLICE_MS = 4
// If two pieces of work start within this time, they are assumed to be in the same turn of the event loop.
const SAME_TURN_MS = 16
