import type { Config } from "../schemas/config.ts"
import { type SignalName, stepOf } from "./signals.ts"
import type { Severity, Warning } from "./warning.ts"

/** What is said about a pattern at some severity. No figure in it changes while the pattern merely goes on. */
export function warningOf(name: SignalName, severity: Severity, detection: Config["detection"]): Warning {
  const from = detection[name] * (stepOf(name, severity) ?? 1)
  return { id: name, severity, text: TEXTS[name](`${Math.round(from * 100) / 100}+`) }
}

const TEXTS: Record<SignalName, (count: string) => string> = {
  failures: (n) => `${n} tool failures in a row. Read the errors; change the approach.`,
  cancels: (n) => `The user stopped ${n} turns in a row. Ask what is wrong before you act.`,
  turns_on_task: (n) => `${n} messages, no checkpoint. Split the task or name the blocker.`,
  reads_without_write: (n) => `${n} reads, no write. Save what you know, then act.`,
  repeats: (n) => `The same call or update ${n} times in a row. Do something else.`,
  keywords: (n) => `${n} calls speak of being stuck. Step back: what is certain?`,
  writes_without_task: (n) => `${n} writes without a task. hivemind_session update names it.`,
  calls_per_minute: (n) => `${n} calls in a minute. A loop? Stop and check.`,
  silence_hours: (n) => `Nothing on this task for ${n} hours. Check that it still holds.`,
  finished_branches: (n) => `${n} finished tasks. hivemind_hierarchy prune folds them.`,
  calls_without_plan: (n) => `${n} calls without a plan. Make one: hivemind_plan create.`,
}
