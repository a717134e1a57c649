export type Options = ReturnType<typeof parseOptions>

/**
 * Separates a command's options from its operands, as getopt does. `valued` names the options that take a value (`-o`).
 * With `stopAtOperand` everything from the first operand on is an operand: the command that a wrapper such as `sudo` runs.
 */
export function parseOptions(args: readonly string[], valued = NONE, stopAtOperand = false) {
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
    /** Also matches abbreviated long names, which GNU tools and git accept (`--recurs`). */
    has: (...names: string[]) => given.some((one) => names.some((name) => isSame(one.name, name))),
    values: (...names: string[]) =>
      given.flatMap(({ name, value }) => (names.includes(name) ? (value ?? []) : [])),
    operands,
  }
}

export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "))

/** "--ha" matches --hard; a shorter abbreviation is never unique. */
function isSame(flag: string, name: string): boolean {
  return flag === name || (flag.length >= 4 && flag.startsWith("--") && name.startsWith(flag))
}

const NONE: ReadonlySet<string> = new Set()
