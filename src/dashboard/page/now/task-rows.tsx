import type { TaskRow } from "../../answers/model.ts"
import { Badge } from "../parts/badge.tsx"
import { TaskLink } from "../parts/task-link.tsx"
import { Time } from "../parts/time.tsx"

/** A few tasks, each with what keeps it. */
export function TaskRows({ tasks }: { tasks: readonly TaskRow[] }) {
  return (
    <ul class="rows">
      {tasks.map(({ id, title, status, phase, waits, updated_at }) => (
        <li key={id} class="row">
          <p class="row-head">
            <TaskLink id={id} title={title} />
          </p>
          {waits !== null && <p class="quiet">Waits: {waits}</p>}
          <p class="meta">
            <Badge is={status} />
            {phase !== null && <span>{phase}</span>}
            <Time at={updated_at} />
          </p>
        </li>
      ))}
    </ul>
  )
}
