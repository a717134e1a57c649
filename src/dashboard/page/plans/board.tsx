import { useMemo, useRef, useState } from "preact/hooks"
import type { TaskRow } from "../../answers/model.ts"
import { amount, Time } from "../parts/format.tsx"
import { focusRow, List, type RowFocus, ShowMore } from "../parts/list.tsx"
import { Badge } from "../parts/records.tsx"
import { openSheet } from "../parts/sheet.tsx"

/** Tasks by status. Arrow keys go up and down in a column and across to the next one. */
export function Board({ tasks }: { tasks: readonly TaskRow[] }) {
  const board = useRef<HTMLDivElement>(null)
  const columns = useMemo(
    () =>
      COLUMNS.map(({ title, holds }) => ({
        title,
        isMixed: holds.length > 1,
        tasks: tasks.filter(({ status }) => holds.includes(status)),
      })),
    [tasks],
  )
  const focusBeside = (from: number, step: 1 | -1, index: number) => {
    let at = from + step
    while (columns[at]?.tasks.length === 0) at += step
    const column = board.current?.querySelectorAll(".column")[at]
    if (column !== undefined) focusRow(column, index)
  }
  return (
    <div class="board" ref={board}>
      {columns.map((column, at) => (
        <Column
          key={`${tasks[0]?.plan?.id} ${column.title}`}
          {...column}
          onSide={(step, index) => focusBeside(at, step, index)}
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
  onSide: (step: 1 | -1, index: number) => void
}

function Column({ title, tasks, isMixed, onSide }: ColumnOf) {
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
        onSide={onSide}
        row={(task, focus) => <TaskCard task={task} focus={focus} isMixed={isMixed} />}
      />
      <ShowMore more={tasks.length - shown} onClick={() => setShown(shown + PAGE)} />
    </section>
  )
}

function TaskCard({ task, focus, isMixed }: { task: TaskRow; focus: RowFocus; isMixed: boolean }) {
  const { id, title, status, phase, waits, held_by, assigned_to, updated_at } = task
  return (
    <button type="button" class="task-card" {...focus} onClick={() => openSheet(`task:${id}`)}>
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
