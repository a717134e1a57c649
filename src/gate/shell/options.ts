/** A command's words after its name, the options apart from the rest, as getopt reads them. */
export interface Options {
  /** Is one of these given? Long names also match when cut short, as GNU tools and git allow (`--recurs`). */
  has(...names: string[]): boolean
  /** The values given to these, in order. */
  values(...names: string[]): string[]
  operands: string[]
}

/**
 * `valued` names the options that take a value (`-o`, `--output`). With `stopAtOperand` everything from the first
 * word that is no option on is an operand: the command that a wrapper such as `sudo` runs.
 */
export function parseOptions(args: readonly string[], valued = NONE, stopAtOperand = false): Options {
  const given: { name: string; value: string | undefined }[] = []
  const operands: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--" || (stopAtOperand && !/^-./.test(arg))) {
      operands.push(...args.slice(arg === "--" ? at + 1 : at))
      break
    }
    if (arg.startsWith("--")) {
      const [, name = arg, value] = /^(--[^=]*)=(.*)$/s.exec(arg) ?? []
      given.push({ name, value: value ?? (valued.has(name) ? args[++at] : undefined) })
    } else if (/^-./.test(arg)) {
      for (let i = 1; i < arg.length; i++) {
        const name = `-${arg[i]}`
        const takesValue = valued.has(name)
        given.push({ name, value: takesValue ? arg.slice(i + 1) || args[++at] : undefined })
        if (takesValue) break
      }
    } else operands.push(arg)
  }
  return {
    has: (...names) => given.some((one) => names.some((name) => isSame(one.name, name))),
    values: (...names) => given.flatMap(({ name, value }) => (names.includes(name) ? (value ?? []) : [])),
    operands,
  }
}

export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "))

/** "--ha" for --hard; shorter ones are never unique. */
function isSame(flag: string, name: string): boolean {
  return flag === name || (flag.length >= 4 && flag.startsWith("--") && name.startsWith(flag))
}

const NONE: ReadonlySet<string> = new Set()
