import type { DoctorView } from "../../dashboard/answers/model.ts"
import type { Style } from "../terminal/style.ts"

export type Check = DoctorView["checks"][number]
export type Finding = Omit<Check, "name">

export const ok = (...found: string[]): Finding => ({ level: "ok", found, mend: null })
export const skipped = (why: string): Finding => ({ level: "skipped", found: [why], mend: null })
const problem =
  (level: "warning" | "trouble") =>
  (mend: string | null, ...found: string[]): Finding => ({ level, found, mend })
export const warning = problem("warning")
export const trouble = problem("trouble")

export async function runCheck(name: string, check: () => Promise<Finding> | Finding): Promise<Check> {
  try {
    return { name, ...(await check()) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { name, ...trouble(null, `could not be checked: ${message}`) }
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
