import { UNKNOWN } from "./unknown-text.ts"

type Value = readonly string[]

/**
 * The variables that a command has set. Where it may have gone one way or the other (`if`, `case`, `&&`), a variable has
 * one value here and `others` beside it: what uses it is judged with each. One that is not here is unknown.
 */
export class Variables extends Map<string, Value> {
  private readonly alternatives = new Map<string, readonly Value[]>()
  /** What copying and comparing them has cost, with all that were copied from the same. */
  private meter = { spent: 0 }
  /** `declare -n`: from then on a variable may be another name for any other. */
  isAliased = false

  static copyOf(from: Variables): Variables {
    const copy = new Variables(from)
    for (const [name, values] of from.alternatives) copy.alternatives.set(name, values)
    copy.isAliased = from.isAliased
    copy.meter = from.meter
    from.spend(from.size)
    return copy
  }

  spend(count: number): void {
    this.meter.spent += count
  }

  get spent(): number {
    return this.meter.spent
  }

  override set(name: string, value: Value): this {
    // The constructor sets the first ones before there is anything else.
    this.alternatives?.delete(name)
    return super.set(name, value)
  }

  /** Becomes a copy of these. */
  become(from: Variables): void {
    this.spend(from.size)
    this.clear()
    this.alternatives.clear()
    for (const [name, value] of from) super.set(name, value)
    for (const [name, values] of from.alternatives) this.alternatives.set(name, values)
    this.isAliased ||= from.isAliased
  }

  /** Takes one of these over. */
  take(name: string, from: Variables): void {
    this.set(name, from.get(name) ?? NOT_KNOWN)
    const others = from.others(name)
    if (others.length > 0) this.alternatives.set(name, others)
  }

  others(name: string): readonly Value[] {
    return this.alternatives.get(name) ?? []
  }

  /** The names that may have another value too. */
  unsettled(): Iterable<string> {
    return this.alternatives.keys()
  }

  /** Takes in how it may have gone otherwise. */
  addOutcome(other: Variables): void {
    if (other === this) return
    this.spend(this.size + other.size)
    for (const name of new Set([...this.keys(), ...other.keys()])) {
      if (name === "_") continue
      const own = this.get(name)
      const theirs = other.get(name)
      const more = other.others(name)
      if (own === theirs && (more.length === 0 || more === this.others(name))) continue
      const all = [own ?? NOT_KNOWN, ...this.others(name), theirs ?? NOT_KNOWN, ...more]
      const texts = new Map(all.map((one) => [one.join("\0"), one]))
      for (const text of texts.keys()) this.spend(COMPARED + text.length / CHARS_PER_WORK)
      const [first = NOT_KNOWN, ...rest] = texts.values()
      this.set(name, first)
      const kept = rest.length > MAX_OTHERS ? [...rest.slice(0, MAX_OTHERS - 1), NOT_KNOWN] : rest
      if (kept.length > 0) this.alternatives.set(name, kept)
    }
    this.isAliased ||= other.isAliased
  }
}

/** The folders of `pushd`, among the variables, which every part of a command sees; no user's has such a name. */
export const STACK = "DIRSTACK[]"
const NOT_KNOWN: Value = [UNKNOWN]
/** A value that differs costs as much as some that are copied. */
const COMPARED = 2
const CHARS_PER_WORK = 100
const MAX_OTHERS = 4
