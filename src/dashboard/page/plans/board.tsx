import { useState } from "preact/hooks"
import type { TaskRow } from "../../answers/model.ts"
import { amount, Time } from "../parts/format.tsx"
import { List, ShowMore } from "../parts/layout.tsx"
import { Badge } from "../parts/records.tsx"
import { openSheet } from "../parts/sheet.tsx"

/** Tasks by status. */
export function Board({ tasks }: { tasks: readonly TaskRow[] }) {
  return (
    <div class="board">
      {COLUMNS.map(({ title, holds }) => (
        <Column
          key={`${tasks[0]?.plan?.id} ${title}`}
          title={title}
          isMixed={holds.length > 1}
          tasks={tasks.filter(({ status }) => holds.includes(status))}
        />
      ))}
    </div>
  )
}

interface ColumnOf {
  title: string
  tasks: readonly TaskRow[]
  /** It holds several statuses, so each card names its own. */
  isMixed: boolean
}

function Column({ title, tasks, isMixed }: ColumnOf) {
  const [shown, setShown] = useState(PAGE)
  return (
    <section
      class={tasks.length === 0 ? "column is-empty" : "column"}
      aria-label={`${title}: ${tasks.length}`}
    >
      <h2>
        {title} <span class="quiet number">{amount(tasks.length)}</span>
      </h2>
      <List
        label={title}
        items={tasks.slice(0, shown)}
        keyOf={({ id }) => id}
        row={(task) => <TaskCard task={task} isMixed={isMixed} />}
      />
      <ShowMore more={tasks.length - shown} onClick={() => setShown(shown + PAGE)} />
    </section>
  )
}

function TaskCard({ task, isMixed }: { task: TaskRow; isMixed: boolean }) {
  const { id, title, status, phase, waits, held_by, assigned_to, updated_at } = task
  return (
    <button type="button" class="task-card" onClick={() => openSheet(`task:${id}`)}>
      <span class="task-title">{title}</span>
      <span class="task-note quiet">{waits ?? phase ?? assigned_to ?? held_by ?? ""}</span>
      <span class="meta">
        {isMixed && <Badge is={status} />}
        <Time at={updated_at} />
      </span>
    </button>
  )
}

const COLUMNS: { title: string; holds: TaskRow["status"][] }[] = [
  { title: "Planned", holds: ["planned"] },
  { title: "Blocked", holds: ["blocked"] },
  { title: "At work", holds: ["active", "review"] },
  { title: "Done", holds: ["completed"] },
  { title: "Given up", holds: ["failed", "invalidated"] },
]
const PAGE = 100
