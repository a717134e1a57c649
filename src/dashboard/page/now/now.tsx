import type { NowView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { amount, counted, dollars, short } from "../parts/amounts.ts"
import { Card } from "../parts/card.tsx"
import { Loaded } from "../parts/empty.tsx"
import { Gauge } from "../parts/gauge.tsx"
import { Progress } from "../parts/progress.tsx"
import { Decisions } from "./decisions.tsx"
import { People } from "./people.tsx"
import { TaskRows } from "./task-rows.tsx"
import { Thread } from "./thread.tsx"
import { Warnings } from "./warnings.tsx"

/** What is going on, in one look. */
export function Now() {
  const answer = useAnswer<NowView>(address("now"))
  return <Loaded answer={answer}>{(now) => <Told now={now} />}</Loaded>
}

function Told({ now }: { now: NowView }) {
  const { next, blocked, otherPlans, window, spent, anchors, conflicts, waiting } = now
  return (
    <div class="now">
      <div class="now-main">
        <Thread threads={now.threads} />
        <Decisions decisions={now.decisions} />
        {next.length > 0 && (
          <Card title="Comes next" note={counted(next.length, "task")}>
            <TaskRows tasks={next.slice(0, MAX_ROWS)} />
          </Card>
        )}
        {blocked.length > 0 && (
          <Card title="Blocked" note={counted(blocked.length, "task")}>
            <TaskRows tasks={blocked.slice(0, MAX_ROWS)} />
          </Card>
        )}
        <People now={now} />
      </div>
      <div class="now-side">
        <Warnings warnings={now.warnings} sessions={now.sessions.length} />
        {conflicts > 0 && (
          <Card title="To settle" class="tone-wait">
            <p>
              Two clones wrote what cannot both hold.{" "}
              <a href={linkTo("health")}>{counted(conflicts, "conflict")} to settle</a>
            </p>
          </Card>
        )}
        {window !== null && (
          <Card title="Pressure">
            <Gauge {...window} />
            {now.sessions.length > 1 && (
              <p class="quiet gauge-of">
                The fullest: <a href={linkTo("context", { session: window.session })}>{window.name}</a>
              </p>
            )}
          </Card>
        )}
        {spent !== null && (
          <Card title="Cost so far" note={dollars(spent.cost)}>
            <dl class="facts">
              <Fact name="Answers">{amount(spent.answers)}</Fact>
              <Fact name="Read anew">{short(spent.fresh)}</Fact>
              <Fact name="From the cache">{short(spent.cached)}</Fact>
              <Fact name="Written">{short(spent.output)}</Fact>
            </dl>
          </Card>
        )}
        {anchors.length > 0 && (
          <Card title="Anchors" note="survive every compaction">
            <dl class="anchors">
              {anchors.slice(0, MAX_ROWS).map(({ id, key, value }) => (
                <div key={id}>
                  <dt>{key}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </Card>
        )}
        {otherPlans.length > 0 && (
          <Card title="Other open plans">
            <ul class="rows">
              {otherPlans.slice(0, MAX_ROWS).map(({ id, title, tasks }) => (
                <li key={id} class="row">
                  <a href={linkTo("plans", { plan: id })}>{title}</a>
                  <Progress done={tasks.done} all={tasks.all} />
                </li>
              ))}
            </ul>
          </Card>
        )}
        {waiting > 0 && <p class="quiet">{counted(waiting, "change")} of people not yet taken up.</p>}
      </div>
    </div>
  )
}

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">{children}</dd>
    </div>
  )
}

const MAX_ROWS = 8
