import type { NowView, OpenSession } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { counted, percent } from "../parts/amounts.ts"
import { Do } from "../parts/ask.tsx"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { TaskLink } from "../parts/task-link.tsx"
import { Time } from "../parts/time.tsx"

/** Who works on what: sessions, and those that they have handed work to. */
export function People({ now: { sessions, delegations } }: { now: NowView }) {
  const note = [
    counted(sessions.length, "session"),
    ...(delegations.length > 0 ? [counted(delegations.length, "delegate")] : []),
  ].join(", ")
  return (
    <Card title="Who works on what" note={note}>
      {sessions.length === 0 && (
        <p class="quiet">
          No session is open. Start OpenCode in this folder; it appears here with its first message.
        </p>
      )}
      <ul class="rows">
        {sessions.map((session) => (
          <li key={session.id} class="row">
            <Session session={session} />
          </li>
        ))}
        {delegations.map(({ id, task, agent, status, since }) => (
          <li key={id} class="row">
            <p class="row-head">{task}</p>
            <p class="meta">
              <Badge is={status} />
              <span>handed to {agent}</span>
              <Time at={since} />
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Session({ session }: { session: OpenSession }) {
  const { stamp, host_id, host, agent, intent, state, tasks, window, updated_at, hasShifted } = session
  return (
    <div class="with-action">
      <div>
        <p class="row-head">
          <a href={linkTo("timeline", { session: host_id })}>{intent ?? "No intent yet"}</a>
        </p>
        {tasks.length > 0 && (
          <p>
            {tasks.map(({ id, title }) => (
              <TaskLink key={id} id={id} title={title} />
            ))}
          </p>
        )}
        <p class="meta">
          <Badge is={state} />
          <span>{host === "mcp" ? "over MCP" : (agent ?? "OpenCode")}</span>
          {window !== null && (
            <a href={linkTo("context", { session: host_id })}>{percent(window.share)} full</a>
          )}
          <Time at={updated_at} />
          <span class="number stamp">{stamp}</span>
        </p>
      </div>
      {state === "open" && hasShifted && (
        <Do
          command={{ do: "take_back_shift", session: host_id }}
          label={`Take back the last change of course of “${intent ?? stamp}”`}
        >
          Take back its change of course
        </Do>
      )}
    </div>
  )
}
