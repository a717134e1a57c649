import type { ComponentChildren } from "preact"
import type { NowView } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { counted } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { Empty } from "../parts/empty.tsx"
import { Progress } from "../parts/progress.tsx"
import { TaskLink } from "../parts/task-link.tsx"

/** From what was asked for down to what is being done. */
export function Thread({ now: { intent, plan, phase, at_work } }: { now: NowView }) {
  if (plan === null && intent === null && at_work.length === 0) {
    return (
      <Card title="The thread">
        <Empty title="Nothing is under way">
          Ask your agent for something larger and let it plan: the plan, its tasks and what it learns appear
          here as it works. <code>hivemind demo</code> shows what that looks like.
        </Empty>
      </Card>
    )
  }
  return (
    <Card title="The thread">
      <ol class="thread">
        {intent !== null && (
          <Step name="Intent">
            <p class="thread-text">{intent}</p>
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
        <Step name={at_work.length > 1 ? "Tasks" : "Task"} isLast>
          {at_work.length === 0 && <p class="quiet">No task is being worked on. The next message decides.</p>}
          <ul class="thread-tasks">
            {at_work.map((task) => (
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
    </Card>
  )
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
