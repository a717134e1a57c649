/** What a line is, for whoever colours it by the host's theme. */
export type Tone = "title" | "text" | "muted" | "accent" | "good" | "warning" | "bad"

export interface Line {
  text: string
  tone: Tone
}

export function line(text: string, tone: Tone = "text"): Line {
  return { text, tone }
}

/** `███████░░░` for seven of ten. */
export function bar(done: number, all: number, width: number): string {
  // Full only where everything is done, empty only where nothing is.
  const share = all === 0 ? 0 : done / all
  const filled =
    done === 0 ? 0 : done >= all ? width : Math.min(width - 1, Math.max(1, Math.round(share * width)))
  return "█".repeat(filled) + "░".repeat(width - filled)
}
