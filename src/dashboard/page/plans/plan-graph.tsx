import { useMemo } from "preact/hooks"
import type { PlanView, TaskRow } from "../../answers/model.ts"
import { route } from "../data/route.ts"
import { amount } from "../parts/amounts.ts"
import { toneOf } from "../parts/badge.tsx"
import { Diagram } from "../parts/diagram.tsx"
import { openSheet } from "../parts/sheet.tsx"
import { layOut } from "./lay-out.ts"
import { neighbourhood } from "./neighbourhood.ts"

/** What has to be done before what. */
export function PlanGraph({ tasks, edges }: { tasks: readonly TaskRow[]; edges: PlanView["edges"] }) {
  const open = route.value.params["open"] ?? ""
  const chosen = open.startsWith("task:") ? open.slice("task:".length) : null
  const near = useMemo(() => neighbourhood(tasks, edges, chosen), [tasks, edges, chosen])
  // The places depend on what there is, not on how it stands: a change of status moves nothing.
  const shape = `${near.tasks.map(({ id }) => id).join()} ${near.edges.map(({ from, to }) => from + to).join()}`
  const placed = useMemo(() => layOut(near.tasks, near.edges), [shape])
  const byId = new Map(near.tasks.map((task) => [task.id, task]))
  return (
    <figure class="graph">
      <Diagram
        label={`Dependencies of ${amount(near.tasks.length)} tasks`}
        width={placed.width}
        height={placed.height}
        lines={placed.lines}
        nodes={placed.nodes.map((node) => {
          const task = byId.get(node.id)
          const status = task?.status ?? "planned"
          return {
            ...node,
            title: task?.title ?? "",
            note: WORDS[status],
            tone: toneOf(status),
            isChosen: node.id === chosen,
          }
        })}
        onOpen={(id) => openSheet(`task:${id}`)}
      />
      <figcaption class="quiet">
        {near.around === null
          ? "An arrow leads from what has to be done first. Drag to move, scroll or use the buttons to zoom; arrow keys go from task to task."
          : `${amount(near.tasks.length)} of ${amount(tasks.length)} tasks: those nearest to “${near.around}”. Open another one to see what is around it.`}
      </figcaption>
    </figure>
  )
}

const WORDS: Record<TaskRow["status"], string> = {
  planned: "○ Planned",
  blocked: "⊖ Blocked",
  active: "▶ At work",
  review: "◉ In review",
  completed: "✓ Done",
  failed: "✕ Failed",
  invalidated: "✕ Taken back",
}
