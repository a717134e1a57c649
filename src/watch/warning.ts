/** From the least to the most severe. */
export const severities = ["low", "medium", "high"] as const
export type Severity = (typeof severities)[number]

/** Something the model should know about how it is doing. */
export interface Warning {
  /** The subject; there is one warning at a time about a subject. */
  id: string
  severity: Severity
  text: string
}

/** 1 for the least severe. */
export function rankOf(severity: Severity): number {
  return severities.indexOf(severity) + 1
}
