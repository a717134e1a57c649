import type { Config } from "../schemas/config.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import { signalRules, type Watched } from "./signals.ts"
import type { Severity, Warning } from "./warning.ts"

/** A pattern that is there. */
export interface Signal {
  name: SignalName
  value: number
  threshold: number
  severity: Severity
}

/** The patterns that are there, of all or of those asked for. */
export function activeSignals(watched: Watched, names: readonly SignalName[] = signalNames): Signal[] {
  return names.flatMap((name) => {
    const threshold = watched.detection[name]
    if (threshold === 0) return []
    const value = signalRules[name].measure(watched)
    if (value < threshold) return []
    return [{ name, value, threshold, severity: severityAt(name, value / threshold) }]
  })
}

/** The signals that the model is told of. */
export const toldSignals = signalNames.filter((name) => signalRules[name].shownTo === "model")

/** The text about a pattern at some severity. No figure in it changes while the pattern merely goes on. */
export function warningOf(name: SignalName, severity: Severity, detection: Config["detection"]): Warning {
  const from = detection[name] * (stepOf(name, severity) ?? 1)
  return { id: name, severity, text: signalRules[name].warning(`${Math.round(from * 100) / 100}+`) }
}

/** From which multiple of the threshold on a pattern is that severe; undefined if it never is. */
export function stepOf(name: SignalName, severity: Severity): number | undefined {
  return STEPS[signalRules[name].severities.indexOf(severity)]
}

function severityAt(name: SignalName, times: number): Severity {
  const { severities } = signalRules[name]
  return severities[STEPS.findLastIndex((step) => times >= step)] ?? severities[0]
}

/** The multiples of a threshold at which a signal has its two severities. */
const STEPS = [1, 2]
