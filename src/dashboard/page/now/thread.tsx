import type { ComponentChildren } from "preact"
import type { NowView, Thread as ThreadOf } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { counted } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { Empty } from "../parts/empty.tsx"
import { Progress } from "../parts/progress.tsx"
import { TaskLink } from "../parts/task-link.tsx"

/** From what was asked for down to what is being done; one chain for each piece of work. */
export function Thread({ threads }: Pick<NowView, "threads">) {
  if (threads.length === 0) {
    return (
      <Card title="The thread">
        <Empty title="Nothing is under way">
          Ask your agent for something larger and let it plan: the plan, its tasks and what it learns appear
          here as it works.
        </Empty>
      </Card>
    )
  }
  return (
    <Card
      title={threads.length > 1 ? "The threads" : "The thread"}
      note={threads.length > 1 ? `${threads.length} pieces of work` : undefined}
    >
      {threads.map((thread) => (
        <Chain key={keyOf(thread)} thread={thread} />
      ))}
    </Card>
  )
}

function Chain({ thread: { session, intent, plan, phase, tasks } }: { thread: ThreadOf }) {
  return (
    <ol class="thread">
      {(intent ?? session?.name) != null && (
        <Step name={intent === null ? "Session" : "Intent"}>
          <p class="thread-text">{intent ?? session?.name}</p>
        </Step>
      )}
      {plan !== null && (
        <Step name="Plan">
          <p class="thread-text">
            <a href={linkTo("plans", { plan: plan.id })}>{plan.title}</a>
          </p>
          <Progress done={plan.tasks.done} all={plan.tasks.all} />
        </Step>
      )}
      {phase !== null && (
        <Step name="Phase">
          <p class="thread-text">{phase}</p>
        </Step>
      )}
      <Step name={tasks.length > 1 ? "Tasks" : "Task"} isLast>
        {tasks.length === 0 && <p class="quiet">No task is being worked on. The next message decides.</p>}
        <ul class="thread-tasks">
          {tasks.map((task) => (
            <li key={task.id}>
              <p class="thread-text strong">
                <TaskLink id={task.id} title={task.title} />
              </p>
              <p class="meta">
                <Badge is={task.status} />
                <span>{counted(task.checkpoints, "checkpoint")}</span>
                {task.assigned_to !== null && <span>by {task.assigned_to}</span>}
                {task.waits !== null && <span>waits: {task.waits}</span>}
              </p>
            </li>
          ))}
        </ul>
      </Step>
    </ol>
  )
}

function keyOf({ session, plan, phase }: ThreadOf): string {
  return [session?.id, plan?.id, phase].join(" ")
}

function Step({
  name,
  isLast = false,
  children,
}: {
  name: string
  isLast?: boolean
  children: ComponentChildren
}) {
  return (
    <li class={isLast ? "step is-here" : "step"}>
      <span class="step-name">{name}</span>
      <div>{children}</div>
    </li>
  )
}
