import type { Style } from "../terminal/style.ts"

/** One thing that doctor looked at. */
export interface Check {
  name: string
  level: "ok" | "warning" | "trouble" | "skipped"
  /** What was found; further lines are details. */
  found: string[]
  mend: string | null
}

export const ok = (name: string, ...found: string[]): Check => ({ name, level: "ok", found, mend: null })
export const skipped = (name: string, why: string): Check => ({
  name,
  level: "skipped",
  found: [why],
  mend: null,
})
export const warning = (name: string, mend: string | null, ...found: string[]): Check => ({
  name,
  level: "warning",
  found,
  mend,
})
export const trouble = (name: string, mend: string | null, ...found: string[]): Check => ({
  name,
  level: "trouble",
  found,
  mend,
})

/** A check that itself fails is a finding, not the end of all the others. */
export async function attempt(name: string, look: () => Promise<Check> | Check): Promise<Check> {
  try {
    return await look()
  } catch (error) {
    return trouble(
      name,
      null,
      `could not be checked: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

export function renderCheck({ name, level, found, mend }: Check, style: Style): string {
  const [first = "", ...more] = found.flatMap((line) => line.split("\n"))
  const head = `${style(COLOURS[level], level.padEnd(9))}${name.padEnd(NAME_WIDTH)}${first}`
  const rest = mend === null ? more : [...more, `→ ${mend}`]
  return [head, ...rest.map((line) => " ".repeat(9 + NAME_WIDTH) + line)].join("\n")
}

const COLOURS = { ok: "green", warning: "yellow", trouble: "red", skipped: "dim" } as const
const NAME_WIDTH = 16
