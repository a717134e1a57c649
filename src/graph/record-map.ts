import { type Pausing, runToEnd } from "../shared/slices.ts"
import { SortedList } from "./sorted-list.ts"

export interface Index<T, N extends string = string> {
  name: N
  keys: (record: T) => Keys
  /** The order within a group. Without it, and for equal records, the order of insertion counts. */
  order?: (a: T, b: T) => number
}

type Key = string | number
type Keys = Key | readonly Key[] | null

/** The records that have the same key in an index. Valid until the map changes. */
export interface Group<T> extends Iterable<T> {
  readonly size: number
  backwards(): Iterable<T>
  /** A copy that stays valid when the map changes. Loops with pauses need it. */
  snapshot(): Iterable<T>
}

/** A map of records with indexes. The indexes are built on first use or by `makeGroups`. */
export class RecordMap<T extends { id: string }, N extends string = string> extends Map<string, T> {
  readonly #indexes: readonly Index<T, N>[]
  #groups: Map<N, Groups<T>> | undefined
  readonly #slots = new Map<string, Slot<T>>()
  #count = 0
  #onChange: OnChange<T> | undefined

  constructor(indexes: readonly Index<T, N>[]) {
    super()
    this.#indexes = indexes
  }

  by(index: N, key: Key): Group<T> {
    if (this.#groups === undefined) runToEnd(this.makeGroups())
    const slots = this.#groups?.get(index)?.get(key)
    return slots === undefined ? NO_RECORDS : new SlotGroup(slots)
  }

  /** Sets the only listener. It gets the id of each changed record, and the record itself if it was deleted. */
  watch(onChange: OnChange<T>): void {
    this.#onChange = onChange
  }

  override set(id: string, record: T): this {
    super.set(id, record)
    this.#onChange?.(id, undefined)
    if (this.#groups !== undefined) this.#place(this.#groups, id, record)
    return this
  }

  override delete(id: string): boolean {
    const gone = this.get(id)
    if (gone !== undefined) this.#onChange?.(id, gone)
    const slot = this.#slots.get(id)
    if (this.#groups !== undefined && slot !== undefined) {
      for (const index of this.#indexes) leave(groupsOf(this.#groups, index), index.keys(slot.record), slot)
      this.#slots.delete(id)
    }
    return super.delete(id)
  }

  override clear(): void {
    for (const [id, record] of this) this.#onChange?.(id, record)
    this.#groups = undefined
    this.#slots.clear()
    super.clear()
  }

  /** Builds the indexes, with pauses. The map must not change during that time. */
  *makeGroups(): Pausing<void> {
    if (this.#groups !== undefined) return
    const groups = new Map(this.#indexes.map(({ name }): [N, Groups<T>] => [name, new Map()]))
    this.#slots.clear()
    for (const [id, record] of this) {
      this.#place(groups, id, record)
      if (this.#slots.size % PAUSE_EVERY !== 0) continue
      yield
      // A query has built the indexes during the pause.
      if (this.#groups !== undefined) return
    }
    this.#groups = groups
  }

  #place(groups: Map<N, Groups<T>>, id: string, record: T): void {
    const slot = this.#slots.get(id)
    if (slot === undefined) {
      const added = { record, number: this.#count++ }
      this.#slots.set(id, added)
      for (const index of this.#indexes) {
        const keys = index.keys(record)
        if (keys !== null) join(index, groupsOf(groups, index), keys, added)
      }
      return
    }
    const moves = this.#indexes.flatMap((index) => moveOf(index, slot.record, record) ?? [])
    // Leaves the old groups first, because they are sorted by the old record.
    for (const { index, from } of moves) leave(groupsOf(groups, index), from, slot)
    slot.record = record
    for (const { index, to } of moves) join(index, groupsOf(groups, index), to, slot)
  }
}

type OnChange<T> = (id: string, gone: T | undefined) => void

/** A record's place in the map. A new version of the record keeps the place. */
interface Slot<T> {
  record: T
  readonly number: number
}

/** The groups of an index by key. Most groups have one record, so such a group is just that record's slot. */
type Groups<T> = Map<Key, Slot<T> | SortedList<Slot<T>>>

function groupsOf<T, N extends string>(groups: Map<N, Groups<T>>, { name }: Index<T, N>): Groups<T> {
  return groups.get(name) ?? new Map() // Never missing: `groups` has every index.
}

function join<T>(index: Index<T>, groups: Groups<T>, keys: Keys, slot: Slot<T>): void {
  for (const key of eachOnce(keys)) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, slot)
    else if (group instanceof SortedList) group.add(slot)
    else groups.set(key, new SortedList(slotOrder(index), [group, slot]))
  }
}

function leave<T>(groups: Groups<T>, keys: Keys, slot: Slot<T>): void {
  for (const key of eachOnce(keys)) {
    const group = groups.get(key)
    if (group instanceof SortedList) group.delete(slot)
    if (group === slot || (group instanceof SortedList && group.size === 0)) groups.delete(key)
  }
}

function moveOf<T, N extends string>(index: Index<T, N>, before: T, after: T) {
  const from = index.keys(before)
  const to = index.keys(after)
  const isSame = areSame(from, to) && (index.order?.(before, after) ?? 0) === 0
  return isSame ? undefined : { index, from, to }
}

function areSame(a: Keys, b: Keys): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((key, n) => key === b[n])
}

function eachOnce(keys: Keys): Iterable<Key> {
  if (keys === null) return []
  if (typeof keys !== "object") return [keys]
  return keys.length < 2 ? keys : new Set(keys)
}

function slotOrder<T>({ order }: Index<T>): (a: Slot<T>, b: Slot<T>) => number {
  if (order === undefined) return (a, b) => a.number - b.number
  return (a, b) => order(a.record, b.record) || a.number - b.number
}

/** A class, not closures, because a turn creates thousands of these. */
class SlotGroup<T> implements Group<T> {
  readonly #slots: Slot<T> | SortedList<Slot<T>>

  constructor(slots: Slot<T> | SortedList<Slot<T>>) {
    this.#slots = slots
  }

  get size(): number {
    return this.#slots instanceof SortedList ? this.#slots.size : 1
  }

  *[Symbol.iterator](): Generator<T> {
    if (!(this.#slots instanceof SortedList)) yield this.#slots.record
    else for (const piece of this.#slots.pieces) for (const { record } of piece) yield record
  }

  snapshot(): Iterable<T> {
    // `concat` copies pieces at once, because a group may have very many records.
    const none: Slot<T>[] = []
    return recordsOf(none.concat(...(this.#slots instanceof SortedList ? this.#slots.pieces : [this.#slots])))
  }

  *backwards(): Generator<T> {
    if (!(this.#slots instanceof SortedList)) yield this.#slots.record
    else
      for (const piece of this.#slots.pieces.toReversed())
        for (const { record } of piece.toReversed()) yield record
  }
}

function* recordsOf<T>(slots: readonly Slot<T>[]): Generator<T> {
  for (const { record } of slots) yield record
}

const NO_RECORDS: Group<never> = {
  size: 0,
  [Symbol.iterator]: () => [][Symbol.iterator](),
  backwards: () => [],
  snapshot: () => [],
}

export function first<T>(count: number, values: Iterable<T>): T[] {
  const taken: T[] = []
  if (count > 0)
    for (const value of values) {
      taken.push(value)
      if (taken.length >= count) break
    }
  return taken
}

export function isEmpty(group: Iterable<unknown>): boolean {
  for (const _ of group) return false
  return true
}

const PAUSE_EVERY = 200
