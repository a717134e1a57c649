import type { Pausing } from "./slices.ts"

/** Sorts a long list, pausing: short runs first, then each two of them into one. `isBefore` is a strict order. */
export function* sortPausing<T>(values: readonly T[], isBefore: (a: T, b: T) => boolean): Pausing<T[]> {
  const compare = (a: T, b: T) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0)
  let runs: T[][] = []
  for (let at = 0; at < values.length; at += RUN) {
    runs.push(values.slice(at, at + RUN).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], isBefore))
    runs = longer
  }
  return runs[0] ?? []
}

function* merge<T>(left: T[], right: T[], isBefore: (a: T, b: T) => boolean): Pausing<T[]> {
  const merged: T[] = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    if (merged.length % RUN === 0) yield
    const takesRight = i >= left.length || (j < right.length && isBefore(right[j] as T, left[i] as T))
    merged.push((takesRight ? right[j++] : left[i++]) as T)
  }
  return merged
}

const RUN = 500
