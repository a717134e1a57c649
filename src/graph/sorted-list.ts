/** A sorted list of distinct values, in pieces of at most 512, so that adding or removing a value moves few others. */
export class SortedList<T> {
  readonly #order: (a: T, b: T) => number
  readonly #pieces: T[][] = []
  #size = 0

  constructor(order: (a: T, b: T) => number, values: Iterable<T> = []) {
    this.#order = order
    for (const value of values) this.add(value)
  }

  get size(): number {
    return this.#size
  }

  add(value: T): void {
    this.#size++
    // New values nearly always belong at the end.
    const newest = this.#pieces.at(-1)
    const isNewest = newest !== undefined && this.#order(lastOf(newest), value) < 0
    const at = isNewest ? this.#pieces.length - 1 : this.#pieceFor(value)
    const piece = this.#pieces[at]
    if (piece === undefined) {
      this.#pieces.push([value])
      return
    }
    if (isNewest) piece.push(value)
    else piece.splice(this.#placeIn(piece, value), 0, value)
    if (piece.length > MAX_PIECE) this.#pieces.splice(at + 1, 0, piece.splice(MAX_PIECE >> 1))
  }

  delete(value: T): void {
    const at = this.#pieceFor(value)
    const piece = this.#pieces[at] ?? []
    const place = this.#placeIn(piece, value)
    if (piece[place] !== value) return
    this.#size--
    piece.splice(place, 1)
    if (piece.length === 0) this.#pieces.splice(at, 1)
  }

  get pieces(): readonly (readonly T[])[] {
    return this.#pieces
  }

  /** Finds the first piece whose last value is not less than `value`, else the last piece. */
  #pieceFor(value: T): number {
    const last = this.#pieces.length - 1
    return firstWhere(Math.max(last, 0), (at) => this.#order(lastOf(this.#pieces[at]), value) >= 0)
  }

  #placeIn(piece: readonly T[], value: T): number {
    return firstWhere(piece.length, (at) => this.#order(piece[at] as T, value) >= 0)
  }
}

/** Binary search: the first number below `count` for which `holds` is true, or `count`. */
function firstWhere(count: number, holds: (at: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function lastOf<T>(piece: readonly T[] | undefined): T {
  return piece?.[piece.length - 1] as T // The cast is safe: pieces are never empty.
}

const MAX_PIECE = 512
