import { UNKNOWN } from "./unknown-text.ts"

type Value = readonly string[]

/**
 * The variables that a command has set. Where it may have gone one way or the other (`if`, `case`, `&&`), a variable has
 * one value here and `others` beside it: what uses it is judged with each. One that is not here is unknown. They are
 * copied for every way that it may go, so a copy shares its values until either is changed.
 */
export class Variables {
  private values: Map<string, Value>
  private alternatives = new Map<string, readonly Value[]>()
  private isShared = false
  private common: Common = { spent: 0, isAliased: false, changing: new Set() }
  /** `$_`, which every command sets. */
  private last: Value = NOT_KNOWN
  /** `set -e`: a step that fails ends the shell. In a condition, and before `&&` and `||`, it does not. */
  errexit: "on" | "off" | "ignored" = "off"

  constructor(values: Iterable<readonly [string, Value]> = []) {
    this.values = new Map(values)
  }

  static copyOf(from: Variables): Variables {
    const copy = new Variables()
    copy.common = from.common
    copy.become(from)
    return copy
  }

  spend(count: number): void {
    this.common.spent += count
  }

  get spent(): number {
    return this.common.spent
  }

  get size(): number {
    return this.values.size
  }

  keys(): Iterable<string> {
    return this.values.keys()
  }

  has(name: string): boolean {
    return this.values.has(name)
  }

  get(name: string): Value | undefined {
    return name === "_" ? this.last : this.values.get(name)
  }

  set(name: string, value: Value): this {
    if (name === "_") this.last = value
    else {
      this.unshare()
      this.values.set(name, value)
      this.alternatives.delete(name)
    }
    return this
  }

  delete(name: string): void {
    this.unshare()
    this.values.delete(name)
    this.alternatives.delete(name)
  }

  /** What `$name` is: unknown where nothing here has set it, or something may set it at any time. */
  known(name: string): Value {
    const { isAliased, changing } = this.common
    return isAliased || changing.has(name) ? NOT_KNOWN : (this.get(name) ?? NOT_KNOWN)
  }

  /** `declare -n`: from now on a variable may be another name for any other. */
  alias(): void {
    this.common.isAliased = true
  }

  /** A trap sets it whenever it is run. */
  changeAtAnyTime(name: string): void {
    this.common.changing.add(name)
  }

  /** Text that nobody knows was run: it may have set any of them. */
  forget(): void {
    for (const name of [...this.keys()]) if (!OF_THE_SHELL.test(name)) this.set(name, NOT_KNOWN)
  }

  /** Sets a variable whose name may not be known itself, and then any of them. */
  setNamed(name: string, value: Value): void {
    const [, variable] = /^(\w+)(\[.*\])?$/s.exec(name) ?? []
    if (variable === undefined) this.forget()
    else this.set(variable, variable === name ? value : NOT_KNOWN)
  }

  /** Nothing has been set since one was copied from the other. */
  isSame(other: Variables | undefined): boolean {
    return other?.values === this.values && other.alternatives === this.alternatives
  }

  /** Those that have been set since `before` was copied from it, also to what they were. */
  setSince(before: Variables): string[] {
    if (this.values === before.values) return []
    this.spend(this.size)
    return [...this.keys()].filter((name) => this.get(name) !== before.get(name))
  }

  /** Has one of them, but for these, another value, or one more? */
  differsFrom(before: Variables, without: ReadonlySet<string>): boolean {
    const textOf = (from: Variables, name: string) =>
      [from.get(name) ?? NOT_KNOWN, ...from.others(name)]
        .map((one) => one.join("\0"))
        .sort()
        .join("\n")
    return this.setSince(before).some(
      (name) => !without.has(name) && textOf(this, name) !== textOf(before, name),
    )
  }

  /** Becomes a copy of these. */
  become(from: Variables): void {
    this.spend(1)
    this.values = from.values
    this.alternatives = from.alternatives
    this.last = from.last
    this.errexit = from.errexit
    this.isShared = true
    from.isShared = true
  }

  /** Takes one of these over. */
  take(name: string, from: Variables): void {
    const value = from.get(name) ?? NOT_KNOWN
    const others = from.others(name)
    if (this.get(name) === value && this.others(name) === others) return
    this.set(name, value)
    if (others.length > 0) this.alternatives.set(name, others)
  }

  others(name: string): readonly Value[] {
    return this.alternatives.get(name) ?? NONE
  }

  /** The names that may have another value too. */
  unsettled(): Iterable<string> {
    return this.alternatives.keys()
  }

  /** Takes in how it may have gone otherwise. */
  addOutcome(other: Variables): void {
    if (this.errexit !== other.errexit) this.errexit = "off"
    if (this.isSame(other)) return
    this.spend(this.size + other.size)
    const names = [...this.keys()]
    for (const name of other.keys()) if (!this.has(name)) names.push(name)
    for (const name of names) {
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
  }

  private unshare(): void {
    if (!this.isShared) return
    this.spend(this.size)
    this.values = new Map(this.values)
    this.alternatives = new Map(this.alternatives)
    this.isShared = false
  }
}

/** What all that were copied from the same have in common. */
interface Common {
  /** What copying and comparing them has cost. */
  spent: number
  isAliased: boolean
  readonly changing: Set<string>
}

/** The folders of `pushd`, among the variables, which every part of a command sees; no user's has such a name. */
export const STACK = "DIRSTACK[]"
const NOT_KNOWN: Value = [UNKNOWN]
const NONE: readonly Value[] = []
/** Set by the shell itself, or by everybody's start of it, and hardly by anything else. */
const OF_THE_SHELL = /^(HOME|PWD|OLDPWD|TMPDIR|IFS|UID|RANDOM|BASH_SOURCE|DIRSTACK\[\]|[?$!#0])$/
/** A value that differs costs as much as some that are copied. */
const COMPARED = 2
const CHARS_PER_WORK = 100
const MAX_OTHERS = 4
