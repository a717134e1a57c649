import type { ComponentChildren } from "preact"
import type { NowView, OpenSession, TaskRow, Thread } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { Gauge } from "../parts/figures.tsx"
import { amount, counted, dollars, moment, percent, short, spaced, Time } from "../parts/format.tsx"
import { Decide, SendButton } from "../parts/forms.tsx"
import { AllGood, Card, Empty, Facts, Loaded, Meta, Row, Rows, RowsCard } from "../parts/layout.tsx"
import { Badge, Progress, RecordLink } from "../parts/records.tsx"

export function Now() {
  const answer = useAnswer<NowView>(address("now"))
  return <Loaded answer={answer}>{(now) => <Overview now={now} />}</Loaded>
}

function Overview({ now }: { now: NowView }) {
  const { otherPlans, window, spent, anchors, conflicts, waiting } = now
  return (
    <div class="now">
      <div class="now-main">
        <Threads threads={now.threads} />
        <OpenPlans plans={now.openPlans} />
        <Unplanned work={now.unplanned} />
        <Decisions decisions={now.decisions} />
        <TaskCard title="Comes next" tasks={now.next} />
        <TaskCard title="Blocked" tasks={now.blocked} />
        <Sessions now={now} />
      </div>
      <div class="now-side">
        {now.past_sessions != null && (
          <Card title="Past sessions">
            <p>{now.past_sessions}</p>
          </Card>
        )}
        <Warnings warnings={now.warnings} sessions={now.sessions.length} />
        {conflicts > 0 && (
          <Card title="Sync conflicts">
            <p>
              Two clones changed the same record.{" "}
              <a href={linkTo("health")}>{counted(conflicts, "conflict")} to settle</a>
            </p>
          </Card>
        )}
        {window !== null && (
          <Card title="Context window">
            <Gauge {...window} />
            {now.sessions.length > 1 && (
              <p class="quiet">
                Fullest session: <a href={linkTo("context", { session: window.session })}>{window.name}</a>
              </p>
            )}
          </Card>
        )}
        {spent !== null && (
          <Card title="Cost so far" note={dollars(spent.cost)}>
            <Facts
              of={{
                Answers: amount(spent.answers),
                "Fresh input": short(spent.fresh),
                "From cache": short(spent.cached),
                Output: short(spent.output),
              }}
            />
          </Card>
        )}
        {anchors.length > 0 && (
          <Card title="Anchors" note="shown to every session">
            <Facts
              isText
              of={Object.fromEntries(anchors.slice(0, MAX_ROWS).map(({ key, value }) => [key, value]))}
            />
          </Card>
        )}
        <RowsCard
          title="Other open plans"
          unit="plan"
          of={otherPlans.slice(0, MAX_ROWS)}
          row={({ id, title, tasks }) => (
            <Row head={<RecordLink kind="plan" id={id} title={title} />}>
              <Progress tasks={tasks} />
            </Row>
          )}
        />
        {waiting > 0 && <p class="quiet">{counted(waiting, "change")} waiting to be applied.</p>}
      </div>
    </div>
  )
}

function Decisions({ decisions }: Pick<NowView, "decisions">) {
  return (
    <RowsCard
      title="Waits for you"
      unit="open decision"
      class="waits"
      of={decisions}
      row={({ id, content, at, keeps }) => (
        <Row head={<RecordLink kind="mem" id={id} title={content} />}>
          {keeps.length > 0 && (
            <p class="quiet">
              Blocks{" "}
              {keeps.slice(0, MAX_NAMED).map((task, index) => (
                <span key={task.id}>
                  {index > 0 && ", "}
                  <RecordLink kind="task" {...task} />
                </span>
              ))}
              {keeps.length > MAX_NAMED && ` and ${keeps.length - MAX_NAMED} more`}
            </p>
          )}
          <p class="meta">
            asked <Time at={at} />
          </p>
          <Decide id={id} />
        </Row>
      )}
    />
  )
}

function Warnings({ warnings, sessions }: Pick<NowView, "warnings"> & { sessions: number }) {
  if (sessions === 0) return null
  if (warnings.length === 0)
    return <AllGood>No warnings. {sessions === 1 ? "The session is" : "Every session is"} on course.</AllGood>
  return (
    <RowsCard
      title="Warnings"
      unit="warning"
      of={warnings.map((each) => ({ ...each, id: `${each.session} ${each.signal}` }))}
      row={({ session, name, signal, severity, text }) => (
        <>
          <Meta of={[<Badge is={severity} />, spaced(signal)]} />
          <p>{text}</p>
          <p class="quiet">
            In <a href={linkTo("timeline", { session })}>{name}</a>
          </p>
          <SendButton
            command={{ do: "acknowledge_warning", session, signal }}
            label={`Acknowledge ${spaced(signal)}`}
          >
            Acknowledge
          </SendButton>
        </>
      )}
    />
  )
}

const MAX_ROWS = 8
const MAX_NAMED = 3

function Threads({ threads }: Pick<NowView, "threads">) {
  if (threads.length === 0) {
    return (
      <Card title="Current work">
        <Empty title="No work in progress">
          Ask your agent for something larger and let it plan: the plan, its tasks and what it learns appear
          here as it works.
        </Empty>
      </Card>
    )
  }
  const note = threads.length > 1 ? `${threads.length} pieces of work` : undefined
  return (
    <Card title="Current work" note={note}>
      {threads.map((thread) => (
        <Chain key={[thread.session?.id, thread.plan?.id, thread.phase].join(" ")} thread={thread} />
      ))}
    </Card>
  )
}

function Chain({ thread: { session, intent, plan, phase, tasks } }: { thread: Thread }) {
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
            <RecordLink kind="plan" id={plan.id} title={plan.title} />
          </p>
          <Progress tasks={plan.tasks} />
        </Step>
      )}
      {phase !== null && (
        <Step name="Phase">
          <p class="thread-text">{phase}</p>
        </Step>
      )}
      <Step name={tasks.length > 1 ? "Tasks" : "Task"} isLast>
        {tasks.length === 0 && <p class="quiet">No task is active. Your next message can start one.</p>}
        <ul class="thread-tasks">
          {tasks.map(({ id, title, status, checkpoints, assigned_to, waits }) => (
            <li key={id}>
              <p class="thread-text strong">
                <RecordLink kind="task" id={id} title={title} />
              </p>
              <Meta
                of={[
                  <Badge is={status} />,
                  counted(checkpoints, "checkpoint"),
                  assigned_to && `by ${assigned_to}`,
                  waits && `waits: ${waits}`,
                ]}
              />
            </li>
          ))}
        </ul>
      </Step>
    </ol>
  )
}

interface Link {
  name: string
  isLast?: boolean
  children: ComponentChildren
}

function Step({ name, isLast = false, children }: Link) {
  return (
    <li class={isLast ? "step is-here" : "step"}>
      <span class="step-name">{name}</span>
      <div>{children}</div>
    </li>
  )
}

function OpenPlans({ plans }: { plans: NowView["openPlans"] }) {
  return (
    <RowsCard
      title="Open plans"
      unit="plan"
      note="name a task to your agent to start it"
      of={plans}
      row={({ id, title, tasks, next, updated_at }) => (
        <Row head={<RecordLink kind="plan" id={id} title={title} />} meta={[<Time at={updated_at} />]}>
          <Progress tasks={tasks} />
          {next.map((task) => (
            <Meta
              key={task.id}
              of={[<Badge is={task.status} />, <RecordLink kind="task" id={task.id} title={task.title} />]}
            />
          ))}
        </Row>
      )}
    />
  )
}

function Unplanned({ work }: { work: NowView["unplanned"] }) {
  return (
    <RowsCard
      title="Without a plan"
      unit="session"
      of={work.map((each) => ({ ...each, id: each.host_id }))}
      row={({ id, name, files, checks, last_answer, state, at }) => (
        <Row
          head={<a href={linkTo("timeline", { session: id })}>{name}</a>}
          meta={[<Badge is={state} />, <Time at={at} />]}
        >
          {last_answer !== null && <p>{last_answer}</p>}
          {files.length > 0 && (
            <p class="quiet">
              {files.slice(0, MAX_FILES).join(", ")}
              {files.length > MAX_FILES && ` and ${files.length - MAX_FILES} more`}
            </p>
          )}
          {checks.slice(0, MAX_CHECKS).map(({ command, ok }) => (
            <p key={command} class="quiet">
              {ok ? "✓" : "✗"} <code>{command}</code> {ok ? "passed" : "failed"}
            </p>
          ))}
        </Row>
      )}
    />
  )
}

function TaskCard({ title, tasks }: { title: string; tasks: readonly TaskRow[] }) {
  return (
    <RowsCard
      title={title}
      unit="task"
      of={tasks}
      row={({ id, title: name, status, phase, waits, updated_at }) => (
        <Row
          head={<RecordLink kind="task" id={id} title={name} />}
          meta={[<Badge is={status} />, phase, <Time at={updated_at} />]}
        >
          {waits !== null && <p class="quiet">Waits: {waits}</p>}
        </Row>
      )}
    />
  )
}

function Sessions({ now: { sessions, delegations } }: { now: NowView }) {
  const delegates = delegations.length > 0 ? `, ${counted(delegations.length, "delegate")}` : ""
  return (
    <Card title="Who works on what" note={`${counted(sessions.length, "session")}${delegates}`}>
      {sessions.length === 0 && (
        <p class="quiet">
          No session is open. Start OpenCode in this folder; its session appears with your first message.
        </p>
      )}
      <Rows of={sessions} row={(session) => <Session session={session} />} />
      <Rows
        of={delegations}
        row={({ task, agent, status, since }) => (
          <Row head={task} meta={[<Badge is={status} />, `handed to ${agent}`, <Time at={since} />]} />
        )}
      />
    </Card>
  )
}

function Session({ session }: { session: OpenSession }) {
  const { name, host_id, host, agent, state, tasks, window, created_at, updated_at, hasShifted } = session
  const full = window && <a href={linkTo("context", { session: host_id })}>{percent(window.share)} full</a>
  const by = host === "mcp" ? "over MCP" : (agent ?? "OpenCode")
  return (
    <Row
      head={<a href={linkTo("timeline", { session: host_id })}>{name}</a>}
      meta={[<Badge is={state} />, by, full, <Time at={updated_at} />, `since ${moment(created_at)}`]}
    >
      {tasks.map(({ id, title }) => (
        <p key={id}>
          <RecordLink kind="task" id={id} title={title} />
        </p>
      ))}
      {state === "open" && hasShifted && (
        <SendButton
          command={{ do: "take_back_shift", session: host_id }}
          label={`Undo the last switch of task of “${name}”`}
        >
          Undo its switch of task
        </SendButton>
      )}
    </Row>
  )
}

const MAX_FILES = 8
const MAX_CHECKS = 3
