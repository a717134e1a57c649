import { useState } from "preact/hooks"
import type { PlanView, TaskView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { Time } from "../parts/format.tsx"
import { CommandForm, Decide, SendButton } from "../parts/forms.tsx"
import { ItemList, Loaded, Part, ShowMore, Snippet } from "../parts/layout.tsx"
import { Badge, Id, RecordLink, Refusal, spentText } from "../parts/records.tsx"
import { Sheet } from "../parts/sheet.tsx"

export function TaskSheet({ id }: { id: string }) {
  const answer = useAnswer<TaskView>(address("task", { id }))
  const task = answer.value
  return (
    <Sheet
      title={task?.title ?? "Task"}
      facts={task && [<Badge is={task.status} />, <Id>{task.short}</Id>, <Time at={task.updated_at} />]}
    >
      <Loaded answer={answer}>{(view) => <Details task={view} />}</Loaded>
    </Sheet>
  )
}

function Details({ task }: { task: TaskView }) {
  const { record, plan, phase, held_by, did, files, parts, mems, delegations, refusals, spent } = task
  return (
    <>
      <p class="quiet">
        {plan !== null && <RecordLink kind="plan" {...plan} />}
        {phase !== null && ` › ${phase}`} · <a href={linkTo("timeline", { record: task.id })}>its timeline</a>
      </p>
      <Obstacles obstacles={task.obstacles} />
      {record.reason !== null && <p class="callout tone-plain">{record.reason}</p>}
      <Part title="Expected">
        <p class="stored">{record.expected_output}</p>
        {record.verify !== null && (
          <p class="quiet">
            Checked by <code>{record.verify}</code>
          </p>
        )}
        {held_by !== null && (
          <p class="quiet">
            <a href={linkTo("timeline", { session: held_by })}>A session</a> works on this task.
          </p>
        )}
      </Part>
      {record.evidence !== null && (
        <Part title="Evidence">
          <p class="stored">{record.evidence}</p>
        </Part>
      )}
      <TaskActions task={task} />
      <Part title="Checkpoints" note={String(did.length)}>
        {did.length === 0 && <p class="quiet">None yet. Tool calls that work on this task add them.</p>}
        <Checkpoints did={did} />
      </Part>
      <ItemList
        title="Parts"
        of={parts}
        row={({ id, title, status }) => (
          <>
            <Badge is={status} /> <RecordLink kind="task" id={id} title={title} />
          </>
        )}
      />
      <ItemList title="Files" class="files" of={files} row={(file) => file} />
      <ItemList
        title="Mems learned"
        of={mems}
        row={({ id, kind, content }) => (
          <>
            <Badge is={kind} /> <RecordLink kind="mem" id={id} title={content} />
          </>
        )}
      />
      <ItemList
        title="Delegated"
        of={delegations}
        row={({ to_agent, status, result }) => (
          <>
            <Badge is={status} /> to {to_agent}
            {result !== null && <p class="stored quiet">{result}</p>}
          </>
        )}
      />
      <ItemList title="Refused" of={refusals} row={(refusal) => <Refusal refusal={refusal} />} />
      {spent !== null && (
        <Part title="Cost">
          <p>{spentText(spent)}</p>
        </Part>
      )}
    </>
  )
}

function Obstacles({ obstacles }: Pick<TaskView, "obstacles">) {
  if (obstacles.length === 0) return null
  return (
    <div class="callout tone-wait">
      <p>
        <strong>Waits</strong>
      </p>
      <ul class="plain">
        {obstacles.map(({ why, on, isDecision }) => (
          <li key={why}>
            <p>
              {why} {on !== null && <RecordLink {...on} title={OPEN[on.kind]} />}
            </p>
            {isDecision && on !== null && <Decide id={on.id} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

const OPEN = { plan: "Open the plan", task: "Open that task", mem: "Open the decision" }

function TaskActions({ task }: { task: TaskView }) {
  const { id, title, status, record } = task
  if (isExport || status === "completed" || status === "failed" || status === "invalidated") return null
  const fields = [
    { name: "title", label: "Title", value: title },
    { name: "expected_output", label: "Expected", value: record.expected_output, isLong: true },
    { name: "verify", label: "Checked by (a command)", value: record.verify ?? "", isOptional: true },
  ]
  return (
    <div class="actions">
      <CommandForm
        title="Edit"
        label={`Edit “${title}”`}
        fields={fields}
        command={(filled) => {
          const changed = fields.filter(({ name, value }) => filled[name] !== value)
          const edits = changed.map(({ name }) => [name, filled[name] || null])
          return changed.length > 0 ? { do: "edit_task", task: id, ...Object.fromEntries(edits) } : null
        }}
      />
      {record.held_back !== null ? (
        <SendButton command={{ do: "unblock_task", task: id }} label={`Unblock “${title}”`}>
          Unblock
        </SendButton>
      ) : (
        <CommandForm
          title="Block"
          label={`Block “${title}”`}
          fields={[{ name: "reason", label: "Reason" }]}
          command={({ reason }) => ({ do: "block_task", task: id, reason })}
        />
      )}
      {record.assigned_session_id !== null && (
        <SendButton command={{ do: "take_task", task: id }} label={`Take over “${title}”`}>
          Take over
        </SendButton>
      )}
      <MoveButtons task={task} />
    </div>
  )
}

function MoveButtons({ task: { id, title, plan, phase, record } }: { task: TaskView }) {
  const { value } = useAnswer<PlanView>(plan === null ? null : address("plan", { id: plan.id }))
  if (value === undefined || record.parent_task_id !== null) return null
  const parts = new Set(value.edges.filter(({ why }) => why === "part").map(({ from }) => from))
  const beside = value.tasks.filter((each) => each.phase === phase && !parts.has(each.id))
  const at = beside.findIndex((each) => each.id === id)
  const move = (way: string, before: string | null) => (
    <SendButton command={{ do: "move_task", task: id, before }} label={`Move “${title}” ${way}`}>
      Move {way}
    </SendButton>
  )
  return (
    <>
      {at > 0 && move("up", beside[at - 1]?.id ?? null)}
      {at >= 0 && at < beside.length - 1 && move("down", beside[at + 2]?.id ?? null)}
    </>
  )
}

function Checkpoints({ did }: Pick<TaskView, "did">) {
  const [shown, setShown] = useState(FIRST_CHECKPOINTS)
  return (
    <>
      <ol class="checkpoints">
        {did
          .toReversed()
          .slice(0, shown)
          .map(({ id, tool, summary, files, command, run, ok, created_at }) => (
            <li key={id} class={ok ? "" : "tone-wrong"}>
              <p>
                {!ok && <Badge is="failed" />} {summary}
              </p>
              {command !== null && <Snippet>{command}</Snippet>}
              {run !== null && run.output !== "" && (
                <details>
                  <summary>The check ended with exit code {run.exit}</summary>
                  <Snippet>{run.output}</Snippet>
                </details>
              )}
              <p class="meta">
                <span>{tool}</span>
                {files.length > 0 && <span title={files.join("\n")}>{files.slice(0, 2).join(", ")}</span>}
                <Time at={created_at} />
              </p>
            </li>
          ))}
      </ol>
      <ShowMore more={did.length - shown} onClick={() => setShown(shown + MORE_CHECKPOINTS)} />
    </>
  )
}

const FIRST_CHECKPOINTS = 8
const MORE_CHECKPOINTS = 50
