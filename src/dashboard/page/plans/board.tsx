import { useMemo, useRef } from "preact/hooks"
import type { TaskRow } from "../../answers/model.ts"
import { amount } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { openSheet } from "../parts/sheet.tsx"
import { Time } from "../parts/time.tsx"
import { focusRow, type RowFocus, VirtualList } from "../parts/virtual-list.tsx"

/** Tasks by how they stand. Arrow keys go up and down in a column and across to the next one. */
export function Board({ tasks }: { tasks: readonly TaskRow[] }) {
  const columns = useMemo(
    () =>
      COLUMNS.map((column) => ({
        ...column,
        tasks: tasks.filter(({ status }) => column.holds.includes(status)),
      })),
    [tasks],
  )
  const board = useRef<HTMLDivElement>(null)
  const toSide = (from: number, step: 1 | -1, index: number) => {
    const lists = [...(board.current?.querySelectorAll(".column") ?? [])]
    for (let at = from + step; at >= 0 && at < lists.length; at += step) {
      if ((columns[at]?.tasks.length ?? 0) > 0) {
        focusRow(lists[at] ?? null, index)
        document.activeElement?.scrollIntoView({ block: "nearest", inline: "nearest" })
        return
      }
    }
  }
  return (
    <div class="board" ref={board}>
      {columns.map(({ title, holds, tasks: held }, at) => (
        <section
          key={title}
          class={held.length === 0 ? "column is-empty" : "column"}
          style={{ maxHeight: `${HEAD_PX + held.length * rowPx(held, holds.length > 1)}px` }}
          aria-label={`${title}: ${held.length}`}
        >
          <h2>
            {title} <span class="quiet number">{amount(held.length)}</span>
          </h2>
          {held.length > 0 && (
            <VirtualList
              label={title}
              total={held.length}
              rowPx={rowPx(held, holds.length > 1)}
              of={`${tasks[0]?.plan?.id} ${title}`}
              keyAt={(index) => held[index]?.id}
              onSide={(step, index) => toSide(at, step, index)}
              row={(index, focus) => {
                const task = held[index]
                return task === undefined ? null : (
                  <TaskCard task={task} focus={focus} isMixed={holds.length > 1} />
                )
              }}
            />
          )}
        </section>
      ))}
    </div>
  )
}

/** Where a column holds several, each says how it stands. */
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

interface Column {
  title: string
  holds: TaskRow["status"][]
}

const COLUMNS: Column[] = [
  { title: "Planned", holds: ["planned"] },
  { title: "Blocked", holds: ["blocked"] },
  { title: "At work", holds: ["active", "review"] },
  { title: "Done", holds: ["completed"] },
  { title: "Given up", holds: ["failed", "invalidated"] },
]
/** Where one of them has much to say, all have the room; where each says how it stands, that may need a line. */
function rowPx(held: readonly TaskRow[], isMixed: boolean): number {
  const isLong = held.some(
    ({ title, waits }) => title.length > LONG_TITLE || (waits ?? "").length > LONG_NOTE,
  )
  return (isLong ? TALL_PX : CARD_PX) + (isMixed ? LINE_PX : 0)
}

const CARD_PX = 112
const TALL_PX = 142
const LINE_PX = 20
const HEAD_PX = 52
// What fits into two lines, and into one.
const LONG_TITLE = 38
const LONG_NOTE = 24
