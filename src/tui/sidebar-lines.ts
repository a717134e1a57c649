import { counted } from "../shared/amounts.ts"
import { shorten } from "../shared/text/clean.ts"
import type { PanelView } from "./read-panel.ts"

/** The role of a line; the host's theme gives it a colour. */
export type Tone = "title" | "text" | "muted" | "accent" | "good" | "warning" | "bad"

export interface Line {
  text: string
  tone: Tone
}

export function sidebarLines(view: PanelView): Line[] {
  const { openPlans, decisions, conflicts, warnings, delegates, quarantined } = view
  return [
    line("HiveMind", "title"),
    ...planLines(view),
    ...(openPlans.length === 0 ? [] : [line("Name a task to start it:", "muted")]),
    ...few(openPlans, "plan", ({ title, tasks, next }) => [
      line(`${short(title)} ${tasks.done}/${tasks.all}`),
      ...next.slice(0, 1).map((task) => line(`→ ${short(task.title)}`, "muted")),
    ]),
    ...unplannedLines(view),
    ...windowLines(view),
    ...turnLines(view),
    ...few(decisions, "decision", (content) => [line(`? ${short(content)}`, "warning")]),
    ...(conflicts === 0 ? [] : [line(`≠ ${counted(conflicts, "conflict")} to settle`, "warning")]),
    ...few(warnings, "warning", ({ text, severity }) => [
      line(`! ${shorten(text, MAX_WARNING)}`, severity === "high" ? "bad" : "warning"),
    ]),
    ...few(delegates, "delegate", ({ agent, task }) => [
      line(`⇄ ${shorten(agent, 20)}: ${short(task)}`, "accent"),
    ]),
    ...(quarantined === 0 ? [] : [line(`✗ ${counted(quarantined, "part")} in quarantine`, "bad")]),
  ]
}

function planLines({ status, progress, blocked, next, openPlans, unplanned }: PanelView): Line[] {
  const { intent, plan, tasks } = status
  if (plan === null) {
    const none = openPlans.length > 0 ? "No current plan" : unplanned === null ? "No plan yet" : undefined
    const shown = intent === null ? none : short(intent)
    return shown === undefined ? [] : [line(shown, "muted")]
  }
  return [
    line(short(plan.title)),
    ...(progress === null || progress.all === 0
      ? []
      : [line(`${bar(progress.done, progress.all)} ${progress.done}/${progress.all} tasks`, "good")]),
    ...(tasks.length === 0 ? [line("no current task", "muted")] : []),
    ...tasks.map(({ title, status: state }) =>
      line(`▶ ${short(title)}${state === "active" ? "" : ` (${state})`}`, "accent"),
    ),
    ...few(blocked, "blocked task", ({ title, waits }) => [
      line(`■ ${short(title)}${waits === null ? "" : `: ${short(waits)}`}`, "warning"),
    ]),
    ...next.slice(0, MAX_EACH).map((title) => line(`→ ${short(title)}`, "muted")),
  ]
}

function unplannedLines({ unplanned }: PanelView): Line[] {
  if (unplanned === null) return []
  const { name, files, checks } = unplanned
  const shown = files.slice(0, MAX_EACH).join(", ")
  return [
    line(short(name)),
    ...(files.length === 0 ? [] : [line(`${counted(files.length, "file")}: ${short(shown)}`, "muted")]),
    ...checks
      .slice(0, MAX_EACH)
      .map(({ command, ok }) => line(`${ok ? "✓" : "✗"} ${short(command)}`, ok ? "good" : "bad")),
  ]
}

function windowLines({ window }: PanelView): Line[] {
  if (window === null) return []
  const percent = Math.round(window.share * 100)
  const tone = percent >= 80 ? "bad" : percent >= 60 ? "warning" : "muted"
  return [line(`Window ${bar(window.tokens, window.window)} ${percent} %`, tone)]
}

function turnLines({ turn }: PanelView): Line[] {
  if (turn === null) return []
  const items = counted(turn.items.length, "item")
  const sent = turn.kind === "none" ? "nothing new" : `${turn.kind}, ${turn.tokens} tokens, ${items}`
  return [line(`Sent this turn: ${sent}`, "muted")]
}

function few<T>(all: readonly T[], what: string, linesOf: (each: T) => Line[]): Line[] {
  const more = all.length - MAX_EACH
  const rest = more > 0 ? [line(`  and ${counted(more, `${what} more`, `${what}s more`)}`, "muted")] : []
  return [...all.slice(0, MAX_EACH).flatMap(linesOf), ...rest]
}

/** A bar such as `███████░░░` for seven of ten. It is full only if all is done, and empty only if nothing is. */
export function bar(done: number, all: number): string {
  const tenths = Math.round((done / all) * BAR)
  const filled = done === 0 ? 0 : done >= all ? BAR : Math.min(BAR - 1, Math.max(1, tenths))
  return "█".repeat(filled) + "░".repeat(BAR - filled)
}

const line = (text: string, tone: Tone = "text"): Line => ({ text, tone })

const short = (text: string): string => shorten(text, MAX_TITLE)

const BAR = 10
const MAX_EACH = 3
const MAX_TITLE = 70
const MAX_WARNING = 140
