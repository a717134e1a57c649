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
export function parseOptions(
  args: readonly string[],
  valued: ReadonlySet<string> = NONE,
  stopAtOperand = false,
): Options {
  const flags: string[] = []
  const given: { name: string; value: string }[] = []
  const operands: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      operands.push(...args.slice(at + 1))
      break
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=")
      const name = equals === -1 ? arg : arg.slice(0, equals)
      flags.push(name)
      if (equals !== -1) given.push({ name, value: arg.slice(equals + 1) })
      else if (valued.has(name)) given.push({ name, value: args[++at] ?? "" })
    } else if (arg.length > 1 && arg.startsWith("-")) {
      for (let i = 1; i < arg.length; i++) {
        const name = `-${arg[i]}`
        flags.push(name)
        if (!valued.has(name)) continue
        given.push({ name, value: i + 1 < arg.length ? arg.slice(i + 1) : (args[++at] ?? "") })
        break
      }
    } else if (stopAtOperand) {
      operands.push(...args.slice(at))
      break
    } else {
      operands.push(arg)
    }
  }
  return {
    has: (...names) => flags.some((flag) => names.some((name) => isSame(flag, name))),
    values: (...names) => given.filter((one) => names.includes(one.name)).map((one) => one.value),
    operands,
  }
}

export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "))
}

function isSame(flag: string, name: string): boolean {
  return flag === name || (flag.length >= SHORTEST_CUT && flag.startsWith("--") && name.startsWith(flag))
}

const NONE: ReadonlySet<string> = new Set()
/** "--ha" for --hard; shorter ones are never unique. */
const SHORTEST_CUT = 4
