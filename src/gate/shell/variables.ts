import { UNKNOWN } from "./unknown-text.ts"

type Value = readonly string[]

/**
 * The variables that a command has set. Where it may have gone one way or the other (`if`, `case`, `&&`), a variable has
 * one value here and `others` beside it: what uses it is judged with each. One that is not here is unknown.
 */
export class Variables extends Map<string, Value> {
  private readonly alternatives = new Map<string, readonly Value[]>()
  /** `declare -n`: from then on a variable may be another name for any other. */
  isAliased = false

  static copyOf(from: Variables): Variables {
    const copy = new Variables(from)
    for (const [name, values] of from.alternatives) copy.alternatives.set(name, values)
    copy.isAliased = from.isAliased
    return copy
  }

  override set(name: string, value: Value): this {
    // The constructor sets the first ones before there is anything else.
    this.alternatives?.delete(name)
    return super.set(name, value)
  }

  /** Becomes a copy of these. */
  become(from: Variables): void {
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
    for (const name of new Set([...this.keys(), ...other.keys()])) {
      if (name === "_") continue
      const own = this.get(name)
      const theirs = other.get(name)
      const more = other.others(name)
      if (own === theirs && (more.length === 0 || more === this.others(name))) continue
      const all = [own ?? NOT_KNOWN, ...this.others(name), theirs ?? NOT_KNOWN, ...more]
      const [first = NOT_KNOWN, ...rest] = new Map(all.map((one) => [one.join("\0"), one])).values()
      this.set(name, first)
      const kept = rest.length > MAX_OTHERS ? [...rest.slice(0, MAX_OTHERS - 1), NOT_KNOWN] : rest
      if (kept.length > 0) this.alternatives.set(name, kept)
    }
    this.isAliased ||= other.isAliased
  }
}

const NOT_KNOWN: Value = [UNKNOWN]
const MAX_OTHERS = 4
