/**
 * Which mems have a term, and how much of it: a number each, the mem's above the weight's. Most terms stand in one mem
 * only: that one is the bare number, so that a hundred thousand of them cost little.
 */
export type Postings = number | PostingList

/** 23 bits for the mem, 8 for the weight: together they fit into a small integer. */
export function posting(doc: number, weight: number): number {
  return (doc << WEIGHT_BITS) | Math.min(weight, MAX_WEIGHT)
}

export function docOf(item: number): number {
  return item >>> WEIGHT_BITS
}

export function weightOf(item: number): number {
  return item & MAX_WEIGHT
}

export class PostingList {
  items: Uint32Array
  size: number

  constructor(first: number, second: number) {
    this.items = new Uint32Array(4)
    this.items[0] = first
    this.items[1] = second
    this.size = 2
  }

  add(item: number): void {
    if (this.size === this.items.length) {
      const longer = new Uint32Array(Math.ceil(this.size * GROWTH))
      longer.set(this.items)
      this.items = longer
    }
    this.items[this.size++] = item
  }

  /** Keeps what is wanted, and gives back the room of the rest. */
  keep(isWanted: (doc: number) => boolean): void {
    const kept = this.items.subarray(0, this.size).filter((item) => isWanted(docOf(item)))
    if (kept.length === this.size) return
    this.items = kept
    this.size = kept.length
  }
}

const WEIGHT_BITS = 8
const MAX_WEIGHT = 255
const GROWTH = 1.5
/** More than that are not indexed. */
export const MAX_DOCS = 1 << 23
