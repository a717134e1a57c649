import type { PlanView, TaskView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { Ask, Do } from "../parts/ask.tsx"

/** What a person can change of a task. */
export function TaskEdits({ task }: { task: TaskView }) {
  if (isExport) return null
  const { id, title, status, record } = task
  const isOver = status === "completed" || status === "failed" || status === "invalidated"
  if (isOver) return null
  return (
    <div class="actions">
      <Ask
        title="Edit"
        label={`Edit “${title}”`}
        fields={[
          { name: "title", label: "Title", value: title },
          { name: "expected_output", label: "Expected", value: record.expected_output, isLong: true },
          { name: "verify", label: "Checked by (a command)", value: record.verify ?? "", isOptional: true },
        ]}
        command={(filled) => {
          const changed = Object.entries({ ...filled, verify: filled["verify"] || null }).filter(
            ([name, value]) => value !== (record as Record<string, unknown>)[name],
          )
          return changed.length === 0 ? null : { do: "edit_task", task: id, ...Object.fromEntries(changed) }
        }}
      />
      {record.held_back !== null ? (
        <Do command={{ do: "unblock_task", task: id }} label={`Unblock “${title}”`}>
          Unblock
        </Do>
      ) : (
        <Ask
          title="Block"
          label={`Block “${title}”`}
          fields={[{ name: "reason", label: "What does it wait for?" }]}
          command={({ reason }) => ({ do: "block_task", task: id, reason })}
        />
      )}
      <Move task={task} />
    </div>
  )
}

/** Up and down among the tasks beside it. */
function Move({ task: { id, title, plan, phase, record } }: { task: TaskView }) {
  const { value } = useAnswer<PlanView>(plan === null ? null : address("plan", { id: plan.id }))
  if (value === undefined || record.parent_task_id !== null) return null
  const parts = new Set(value.edges.filter(({ why }) => why === "part").map(({ from }) => from))
  const beside = value.tasks.filter((each) => each.phase === phase && !parts.has(each.id))
  const at = beside.findIndex((each) => each.id === id)
  const before = beside[at - 1]
  const behind = beside[at + 2]
  const isLast = at === beside.length - 1
  return (
    <>
      {before !== undefined && (
        <Do command={{ do: "move_task", task: id, before: before.id }} label={`Move “${title}” up`}>
          Move up
        </Do>
      )}
      {at >= 0 && !isLast && (
        <Do
          command={{ do: "move_task", task: id, before: behind?.id ?? null }}
          label={`Move “${title}” down`}
        >
          Move down
        </Do>
      )}
    </>
  )
}
