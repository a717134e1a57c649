/** Merges sorted lists, and reads them only as far as its own values are read. */
export function* merge<T>(lists: readonly Iterable<T>[], order: (a: T, b: T) => number): Generator<T> {
  const rests = lists.map((list) => list[Symbol.iterator]())
  const heads = rests.map((rest) => rest.next())
  for (;;) {
    let first = -1
    for (const [at, head] of heads.entries()) {
      const best = heads[first]
      if (!head.done && (best === undefined || best.done || order(head.value, best.value) < 0)) first = at
    }
    const head = heads[first]
    const rest = rests[first]
    if (head === undefined || head.done || rest === undefined) return
    yield head.value
    heads[first] = rest.next()
  }
}
