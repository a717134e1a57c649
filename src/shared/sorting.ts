import type { Pausing } from "./slices.ts"

/** Merges sorted lists lazily: reads each list only as far as the consumer needs. */
export function* merge<T>(lists: readonly Iterable<T>[], order: (a: T, b: T) => number): Generator<T> {
  const rests = lists.map((list) => list[Symbol.iterator]())
  const heads = rests.map((rest) => rest.next())
  for (;;) {
    let first = -1
    for (const [at, head] of heads.entries()) {
      const best = heads[first]
      if (!head.done && (best === undefined || best.done || order(head.value, best.value) < 0)) first = at
    }
    const [head, rest] = [heads[first], rests[first]]
    if (head === undefined || head.done || rest === undefined) return
    yield head.value
    heads[first] = rest.next()
  }
}

/** The `count` smallest values, sorted. The other values are not sorted. */
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

/** Merge sort for long lists that pauses between pieces of work. `isBefore` must be a strict order. */
export function* sortPausing<T>(values: readonly T[], isBefore: (a: T, b: T) => boolean): Pausing<T[]> {
  const compare = (a: T, b: T) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0)
  let runs: T[][] = []
  for (let at = 0; at < values.length; at += RUN_LENGTH) {
    runs.push(values.slice(at, at + RUN_LENGTH).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], isBefore))
    runs = longer
  }
  return runs[0] ?? []
}

function* mergeRuns<T>(left: T[], right: T[], isBefore: (a: T, b: T) => boolean): Pausing<T[]> {
  const merged: T[] = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    if (merged.length % RUN_LENGTH === 0) yield
    const takesRight = i >= left.length || (j < right.length && isBefore(right[j] as T, left[i] as T))
    merged.push((takesRight ? right[j++] : left[i++]) as T)
  }
  return merged
}

const RUN_LENGTH = 500
const PAUSE_EVERY = 500
