import { useMemo, useState } from "preact/hooks"
import type { PlanView, TaskRow } from "../../answers/model.ts"
import { route } from "../data/route.ts"
import { amount } from "../parts/amounts.ts"
import { toneOf } from "../parts/badge.tsx"
import { Diagram } from "../parts/diagram.tsx"
import { openSheet } from "../parts/sheet.tsx"
import { layOut } from "./lay-out.ts"
import { MAX_NODES, neighbourhood } from "./neighbourhood.ts"
import { PlanMap } from "./plan-map.tsx"

interface Graphed {
  tasks: readonly TaskRow[]
  edges: PlanView["edges"]
}

/** What has to be done before what. A large plan is a map, or what is around one of its tasks. */
export function PlanGraph({ tasks, edges }: Graphed) {
  const open = route.value.params["open"] ?? ""
  const chosen = open.startsWith("task:") ? open.slice("task:".length) : null
  const [isNear, setNear] = useState(false)
  if (tasks.length <= MAX_NODES) return <Near tasks={tasks} edges={edges} chosen={chosen} />
  return (
    <>
      <fieldset class="segments graph-kind">
        <legend class="unseen">How much of it</legend>
        <button type="button" aria-pressed={!isNear} onClick={() => setNear(false)}>
          The whole plan
        </button>
        <button type="button" aria-pressed={isNear} onClick={() => setNear(true)}>
          Around one task
        </button>
      </fieldset>
      {isNear ? (
        <Near tasks={tasks} edges={edges} chosen={chosen} />
      ) : (
        <figure class="graph">
          <PlanMap
            {...{ tasks, edges, chosen }}
            wordOf={(status) => WORDS[status]}
            onOpen={(id) => openSheet(`task:${id}`)}
          />
          <figcaption class="quiet">
            All {amount(tasks.length)} tasks, what has to be done first on the left. Zoom in to read them; the
            colour says how each stands: <Keys />
          </figcaption>
        </figure>
      )}
    </>
  )
}

/** Around the task that is looked at, where the plan is too large to draw it all with its words. */
function Near({ tasks, edges, chosen }: Graphed & { chosen: string | null }) {
  const near = useMemo(() => neighbourhood(tasks, edges, chosen), [tasks, edges, chosen])
  // The places depend on what there is, not on how it stands: a change of status moves nothing.
  const shape = `${near.tasks.map(({ id }) => id).join()} ${near.edges.map(({ from, to }) => from + to).join()}`
  const placed = useMemo(() => layOut(near.tasks, near.edges, screenNow()), [shape])
  const byId = new Map(near.tasks.map((task) => [task.id, task]))
  return (
    <figure class="graph">
      <Diagram
        label={`Dependencies of ${amount(near.tasks.length)} tasks`}
        width={placed.width}
        height={placed.height}
        lines={placed.lines}
        isDown={placed.isDown}
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

function Keys() {
  const kinds = ["planned", "blocked", "active", "completed", "failed"] as const
  return (
    <>
      {kinds.map((status) => (
        <span key={status} class={`map-key tone-${toneOf(status)}`}>
          {WORDS[status]}
        </span>
      ))}
    </>
  )
}

/** About the room that the drawing has. */
function screenNow(): { width: number; height: number } {
  const aside = innerWidth > 832 ? 280 : 32
  return { width: innerWidth - aside, height: Math.max(320, innerHeight - 270) }
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
