import type { TaskView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { counted, dollars, short } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Part } from "../parts/card.tsx"
import { Loaded } from "../parts/empty.tsx"
import { Id } from "../parts/id.tsx"
import { Refusals } from "../parts/refusals.tsx"
import { Sheet } from "../parts/sheet.tsx"
import { MemLink, TaskLink } from "../parts/task-link.tsx"
import { Time } from "../parts/time.tsx"
import { Checkpoints } from "./checkpoints.tsx"
import { Obstacles } from "./obstacles.tsx"
import { TaskEdits } from "./task-edits.tsx"

/** Everything about one task. */
export function TaskSheet({ id }: { id: string }) {
  const answer = useAnswer<TaskView>(address("task", { id }))
  const task = answer.value
  return (
    <Sheet title={task?.title ?? "Task"} above={task && <SheetMeta task={task} />}>
      <Loaded answer={answer}>{(view) => <Told task={view} />}</Loaded>
    </Sheet>
  )
}

function SheetMeta({ task: { status, short: id, updated_at } }: { task: TaskView }) {
  return (
    <p class="meta">
      <Badge is={status} />
      <Id>{id}</Id>
      <Time at={updated_at} />
    </p>
  )
}

function Told({ task }: { task: TaskView }) {
  const { record, plan, phase, held_by, did, files, parts, mems, delegations, refusals, spent } = task
  return (
    <>
      <p class="quiet">
        {plan !== null && <a href={linkTo("plans", { plan: plan.id })}>{plan.title}</a>}
        {phase !== null && ` › ${phase}`} · <a href={linkTo("timeline", { record: task.id })}>its story</a>
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
            <a href={linkTo("timeline", { session: held_by })}>A session</a> works on it.
          </p>
        )}
      </Part>
      {record.evidence !== null && (
        <Part title="Evidence">
          <p class="stored">{record.evidence}</p>
        </Part>
      )}
      <TaskEdits task={task} />
      <Part title="Checkpoints" note={String(did.length)}>
        {did.length === 0 ? (
          <p class="quiet">Nothing yet. Each tool that runs for this task leaves one.</p>
        ) : (
          <Checkpoints did={did} />
        )}
      </Part>
      {parts.length > 0 && (
        <Part title="Parts" note={String(parts.length)}>
          <ul class="plain">
            {parts.map(({ id, title, status }) => (
              <li key={id}>
                <Badge is={status} /> <TaskLink id={id} title={title} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {files.length > 0 && (
        <Part title="Files" note={String(files.length)}>
          <ul class="plain files">
            {files.slice(0, MAX_LISTED).map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        </Part>
      )}
      {mems.length > 0 && (
        <Part title="What was learned" note={String(mems.length)}>
          <ul class="plain">
            {mems.slice(0, MAX_LISTED).map(({ id, kind, content }) => (
              <li key={id}>
                <Badge is={kind} /> <MemLink id={id} title={content} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {delegations.length > 0 && (
        <Part title="Handed on">
          <ul class="plain">
            {delegations.map(({ id, to_agent, status, result }) => (
              <li key={id}>
                <Badge is={status} /> to {to_agent}
                {result !== null && <p class="stored quiet">{result}</p>}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {refusals.length > 0 && (
        <Part title="Refused" note={String(refusals.length)}>
          <Refusals items={refusals.slice(0, MAX_LISTED)} />
        </Part>
      )}
      {spent !== null && (
        <Part title="Cost">
          <p>
            {dollars(spent.cost)} for {counted(spent.answers, "answer")}. {short(spent.fresh)} tokens read
            anew, {short(spent.cached)} from the cache, {short(spent.output)} written.
          </p>
        </Part>
      )}
    </>
  )
}

const MAX_LISTED = 40
