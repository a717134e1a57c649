import type { Judgement, ShellContext } from "./judgement.ts"
import { judgeText } from "./runner.ts"

/**
 * Judges a shell command without running it: what it would destroy, what it writes, what it is about, and what of it
 * cannot be seen. Pure and bounded: any text gives an answer, and soon.
 */
export function judgeCommand(command: string, context: ShellContext): Judgement {
  const key = `${context.project}\n${context.cwd ?? ""}\n${context.home ?? ""}\n${command}`
  const known = recent.get(key)
  if (known !== undefined) {
    recent.delete(key)
    recent.set(key, known)
    return known
  }
  const judgement = judgeText(command, context)
  if (key.length > MAX_KEPT_CHARS) return judgement
  recent.set(key, judgement)
  const [oldest] = recent.keys()
  if (recent.size > MAX_KEPT && oldest !== undefined) recent.delete(oldest)
  return judgement
}

/** The gate asks about the same command before it runs and after; an agent tends to repeat itself. */
const recent = new Map<string, Judgement>()
const MAX_KEPT = 200
const MAX_KEPT_CHARS = 4096

export type { Judgement, ShellContext } from "./judgement.ts"
