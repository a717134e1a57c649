import type { NowView, SessionRow } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { counted, percent } from "../parts/amounts.ts"
import { Do } from "../parts/ask.tsx"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { TaskLink } from "../parts/task-link.tsx"
import { Time } from "../parts/time.tsx"

/** Who works on what: sessions, and those that they have handed work to. */
export function People({ now: { sessions, delegations } }: { now: NowView }) {
  return (
    <Card title="Who works on what" note={counted(sessions.length, "session")}>
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

function Session({ session }: { session: SessionRow }) {
  const { stamp, host_id, host, agent, intent, state, tasks, window, updated_at } = session
  return (
    <div class="with-action">
      <div>
        <p class="row-head">{intent ?? "No intent yet"}</p>
        {tasks.length > 0 && (
          <p>
            {tasks.map(({ id, title }) => (
              <TaskLink key={id} id={id} title={title} />
            ))}
          </p>
        )}
        <p class="meta">
          <Badge is={state} />
          <a href={linkTo("timeline", { session: host_id })} class="number">
            {stamp}
          </a>
          <span>{host === "mcp" ? "over MCP" : (agent ?? "OpenCode")}</span>
          {window !== null && (
            <a href={linkTo("context", { session: host_id })}>{percent(window.share)} full</a>
          )}
          <Time at={updated_at} />
        </p>
      </div>
      {state === "open" && intent !== null && (
        <Do
          command={{ do: "take_back_shift", session: host_id }}
          label={`Take back the last change of course of ${stamp}`}
        >
          Take back its change of course
        </Do>
      )}
    </div>
  )
}
