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

/** Merge sort for long lists that pauses between pieces of work. */
export function* sortPausing<T>(values: readonly T[], order: (a: T, b: T) => number): Pausing<T[]> {
  let runs: T[][] = []
  for (let at = 0; at < values.length; at += RUN_LENGTH) {
    runs.push(values.slice(at, at + RUN_LENGTH).sort(order))
    yield
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right = []] = runs.slice(at, at + 2)
      const merged: T[] = []
      let [i, j] = [0, 0]
      while (i < left.length || j < right.length) {
        if (merged.length % RUN_LENGTH === 0) yield
        const takesRight = i >= left.length || (j < right.length && order(right[j] as T, left[i] as T) < 0)
        merged.push((takesRight ? right[j++] : left[i++]) as T)
      }
      longer.push(merged)
    }
    runs = longer
  }
  return runs[0] ?? []
}

const RUN_LENGTH = 500
