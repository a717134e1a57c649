import { counted } from "../../shared/amounts.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { Page } from "../../views/look/page.ts"
import type { PlanRow } from "../../views/look/plans.ts"
import type { OpenTask } from "../read/screen.ts"
import { bar, type Line, line } from "./line.ts"
import { ago, type Row } from "./row.ts"

/** A plan, and its open tasks below it. */
export function planRows(
  plan: PlanRow,
  tasks: Page<OpenTask> | undefined,
  now: number,
  width: number,
): Row[] {
  const { title, status, tasks: count, sessions, updated_at, isOpen } = plan
  const facts = [
    status,
    ...(count.all === 0
      ? ["no tasks yet"]
      : [`${bar(count.done, count.all, 10)} ${count.done} of ${counted(count.all, "task")} done`]),
    ago(updated_at, now),
    ...(sessions.length === 0 ? [] : [`session ${sessions.join(", ")}`]),
  ].join(" · ")
  const more = tasks?.more ?? 0
  return [
    {
      whole: [title, facts],
      lines: [
        line(shorten(title, width), isOpen ? "title" : "muted"),
        line(`  ${shorten(facts, width - 2)}`, "muted"),
      ],
    },
    ...(tasks?.items ?? []).map((task) => taskRow(task, width)),
    ...(more === 0 ? [] : [{ lines: [line(`    and ${more} more: \`hivemind tasks\``, "muted")] }]),
  ]
}

function taskRow(task: OpenTask, width: number): Row {
  const { id, title, status, waits, held_by, expected, isHeld } = task
  const [mark, tone] = TASK_MARKS[status] ?? (["→", "text"] as const)
  const after = [...(waits === null ? [] : [waits]), ...(held_by === null ? [] : [`session ${held_by}`])]
  const room = width - 4
  const whole = [title, ...after].join(": ")
  // Why it waits says more than the end of its title.
  const lines =
    whole.length <= room || after.length === 0
      ? [line(`  ${mark} ${shorten(whole, room)}`, tone)]
      : [
          line(`  ${mark} ${shorten(title, room)}`, tone),
          line(`      ${shorten(after.join(": "), room - 2)}`, "muted"),
        ]
  return {
    lines,
    whole: [title, status, ...after, `Expected: ${expected}`],
    of: { kind: "task", id, title, isHeld },
  }
}

const TASK_MARKS: Partial<Record<OpenTask["status"], readonly [string, Line["tone"]]>> = {
  active: ["▶", "accent"],
  review: ["▶", "accent"],
  blocked: ["■", "warning"],
}
