import { counted } from "../shared/amounts.ts"
import { shorten } from "../shared/text/clean.ts"
import type { PanelView } from "./read-panel.ts"

/** The role of a line; the host's theme gives it a colour. */
export type Tone = "title" | "text" | "muted" | "accent" | "good" | "warning" | "bad"

export interface Line {
  text: string
  tone: Tone
}

/** The sidebar of one session, from top to bottom: its work, its model's window, open decisions, warnings and problems. */
export function sidebarLines(view: PanelView): Line[] {
  return [
    line("HiveMind", "title"),
    ...planLines(view),
    ...openPlanLines(view),
    ...unplannedLines(view),
    ...windowLines(view),
    ...turnLines(view),
    ...decideLines(view),
    ...warningLines(view),
    ...view.delegates
      .slice(0, MAX_EACH)
      .map(({ agent, task }) => line(`⇄ ${shorten(agent, 20)}: ${short(task)}`, "accent")),
    ...more(view.delegates.length, "delegate"),
    ...(view.quarantined === 0 ? [] : [line(`✗ ${counted(view.quarantined, "part")} in quarantine`, "bad")]),
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
    ...blocked
      .slice(0, MAX_EACH)
      .map(({ title, waits }) =>
        line(`■ ${short(title)}${waits === null ? "" : `: ${short(waits)}`}`, "warning"),
      ),
    ...more(blocked.length, "blocked task"),
    ...next.slice(0, MAX_EACH).map((title) => line(`→ ${short(title)}`, "muted")),
  ]
}

/** Plans and tasks to start with, if the session has no current plan. */
function openPlanLines({ openPlans }: PanelView): Line[] {
  return [
    ...(openPlans.length === 0 ? [] : [line("Name a task to start it:", "muted")]),
    ...openPlans
      .slice(0, MAX_EACH)
      .flatMap(({ title, tasks, next }) => [
        line(`${short(title)} ${tasks.done}/${tasks.all}`),
        ...next.slice(0, 1).map((task) => line(`→ ${short(task.title)}`, "muted")),
      ]),
    ...more(openPlans.length, "plan"),
  ]
}

/** Work without a plan. The inbox task that records it is not shown. */
function unplannedLines({ unplanned }: PanelView): Line[] {
  if (unplanned === null) return []
  const { name, files, checks } = unplanned
  return [
    line(short(name)),
    ...(files.length === 0
      ? []
      : [line(`${counted(files.length, "file")}: ${short(files.slice(0, MAX_EACH).join(", "))}`, "muted")]),
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
  if (turn.kind === "none") return [line("Sent this turn: nothing new", "muted")]
  const items = counted(turn.items.length, "item")
  return [line(`Sent this turn: ${turn.kind}, ${turn.tokens} tokens, ${items}`, "muted")]
}

function decideLines({ decisions, conflicts }: PanelView): Line[] {
  return [
    ...decisions.slice(0, MAX_EACH).map((content) => line(`? ${short(content)}`, "warning")),
    ...more(decisions.length, "decision"),
    ...(conflicts === 0 ? [] : [line(`≠ ${counted(conflicts, "conflict")} to settle`, "warning")]),
  ]
}

function warningLines({ warnings }: PanelView): Line[] {
  return [
    ...warnings
      .slice(0, MAX_EACH)
      .map(({ text, severity }) =>
        line(`! ${shorten(text, MAX_WARNING)}`, severity === "high" ? "bad" : "warning"),
      ),
    ...more(warnings.length, "warning"),
  ]
}

function more(all: number, what: string): Line[] {
  return all > MAX_EACH
    ? [line(`  and ${counted(all - MAX_EACH, `${what} more`, `${what}s more`)}`, "muted")]
    : []
}

/** `███████░░░` for seven of ten: full only if all is done, empty only if nothing is. */
export function bar(done: number, all: number): string {
  const tenths = Math.round((done / all) * BAR)
  const filled = done === 0 ? 0 : done >= all ? BAR : Math.min(BAR - 1, Math.max(1, tenths))
  return "█".repeat(filled) + "░".repeat(BAR - filled)
}

function line(text: string, tone: Tone = "text"): Line {
  return { text, tone }
}

function short(text: string): string {
  return shorten(text, MAX_TITLE)
}

const BAR = 10
const MAX_EACH = 3
const MAX_TITLE = 70
const MAX_WARNING = 140
