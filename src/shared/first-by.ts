import type { Pausing } from "./slices.ts"

/** The first `count` values of an order, without sorting the others. */
export function* firstBy<T>(
  order: (a: T, b: T) => number,
  count: number,
  values: readonly T[],
): Pausing<T[]> {
  const kept: T[] = []
  for (const [at, value] of values.entries()) {
    if (at % PAUSE_EVERY === PAUSE_EVERY - 1) yield
    const last = kept[count - 1]
    if (last !== undefined && order(value, last) >= 0) continue
    const place = kept.findIndex((each) => order(value, each) < 0)
    kept.splice(place < 0 ? kept.length : place, 0, value)
    if (kept.length > count) kept.pop()
  }
  return kept
}

const PAUSE_EVERY = 500
