/**
 * A map in many small ones. A map that grows moves all it holds in one go, and at a hundred thousand that would hold up
 * everything else.
 */
export class SplitMap<V> {
  readonly #pieces = new Map<number, Map<string, V>>()
  readonly #pieceOf: (key: string) => number
  #size = 0

  constructor(pieceOf: (key: string) => number) {
    this.#pieceOf = pieceOf
  }

  get size(): number {
    return this.#size
  }

  get(key: string): V | undefined {
    return this.#pieces.get(this.#pieceOf(key))?.get(key)
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  set(key: string, value: V): void {
    const piece = this.piece(key)
    const before = piece.size
    piece.set(key, value)
    this.#size += piece.size - before
  }

  delete(key: string): void {
    const number = this.#pieceOf(key)
    const piece = this.#pieces.get(number)
    if (piece?.delete(key) !== true) return
    this.#size--
    if (piece.size === 0) this.#pieces.delete(number)
  }

  /** All that are in one piece with a key. */
  piece(key: string): Map<string, V> {
    const number = this.#pieceOf(key)
    const piece = this.#pieces.get(number) ?? new Map<string, V>()
    this.#pieces.set(number, piece)
    return piece
  }

  /** In the order of the keys, if that is the order of their pieces. Sorts one piece at a time. */
  *sortedKeys(): Iterable<string> {
    for (const number of [...this.#pieces.keys()].sort((a, b) => a - b))
      yield* [...(this.#pieces.get(number)?.keys() ?? [])].sort()
  }

  *[Symbol.iterator](): Iterator<[string, V]> {
    for (const piece of this.#pieces.values()) yield* piece
  }
}
