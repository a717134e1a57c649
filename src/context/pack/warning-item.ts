import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import type { Severity, Warning } from "../../watch/warning.ts"
import type { Item } from "./item.ts"

export function warningItem(warning: Warning): Item {
  return {
    kind: "warning",
    id: warning.id,
    role: "warning",
    identity: { id: warning.id },
    severity: warning.severity,
    section: "warnings",
    worth: WORTH[warning.severity],
    reason: `a warning, ${warning.severity}`,
    levels: 2,
    render: (level) => warningElement(warning, level === 0 ? MAX_TOKENS : SHORT_TOKENS),
  }
}

/** The warning as the model reads it, at most 40 tokens whatever its text: a warning must never cost more than it saves. */
export function warningElement({ id, severity, text }: Warning, maxTokens = MAX_TOKENS): string {
  const worded = (max: number) => element("warning", { id, severity }, shorten(text, max))
  let width = Math.min(text.length, MAX_CHARS)
  while (width > 0 && countTokens(worded(width)) > maxTokens) width = Math.floor(width * 0.8)
  return worded(width)
}

const MAX_TOKENS = 40
const MAX_CHARS = 240
const SHORT_TOKENS = 28
const WORTH: Record<Severity, number> = { low: 420, medium: 640, high: 760 }
