import type { NowView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { Gauge } from "../parts/figures.tsx"
import { amount, counted, dollars, short, spaced, Time } from "../parts/format.tsx"
import { Decide, SendButton } from "../parts/forms.tsx"
import { AllGood, Card, Facts, Loaded, Meta, Row, RowsCard } from "../parts/layout.tsx"
import { Badge, Progress, RecordLink } from "../parts/records.tsx"
import { OpenPlans, Sessions, TaskCard, Threads, Unplanned } from "./work.tsx"

/** The current work at a glance. */
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
          <Card title="It could know more">
            <p>{now.past_sessions}</p>
          </Card>
        )}
        <Warnings warnings={now.warnings} sessions={now.sessions.length} />
        {conflicts > 0 && (
          <Card title="To settle">
            <p>
              Two clones changed the same thing.{" "}
              <a href={linkTo("health")}>{counted(conflicts, "conflict")} to settle</a>
            </p>
          </Card>
        )}
        {window !== null && (
          <Card title="Pressure">
            <Gauge {...window} />
            {now.sessions.length > 1 && (
              <p class="quiet">
                The fullest: <a href={linkTo("context", { session: window.session })}>{window.name}</a>
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
          <Card title="Anchors" note="survive every compaction">
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

/** Open decisions, which wait for a person. */
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
              Keeps{" "}
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

/** Signals in open sessions that have reached their threshold. */
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
