import type { TaskView } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { Decide } from "../parts/decide.tsx"
import { MemLink, TaskLink } from "../parts/task-link.tsx"

/** What a task waits for, each with the way there; a question can be answered on the spot. */
export function Obstacles({ obstacles }: Pick<TaskView, "obstacles">) {
  if (obstacles.length === 0) return null
  return (
    <div class="callout tone-wait">
      <p>
        <strong>Waits</strong>
      </p>
      <ul class="plain">
        {obstacles.map(({ why, on, isDecision }) => (
          <li key={why} class="obstacle">
            <p>
              {why} {on !== null && <Way on={on} />}
            </p>
            {isDecision && on !== null && <Decide id={on.id} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Way({ on: { kind, id } }: { on: NonNullable<TaskView["obstacles"][number]["on"]> }) {
  if (kind === "plan") return <a href={linkTo("plans", { plan: id })}>Open the plan</a>
  return kind === "task" ? (
    <TaskLink id={id} title="Open that task" />
  ) : (
    <MemLink id={id} title="Open the decision" />
  )
}
