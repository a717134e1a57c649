import type { NowView } from "../../answers/model.ts"
import { counted } from "../parts/amounts.ts"
import { Card } from "../parts/card.tsx"
import { Decide } from "../parts/decide.tsx"
import { MemLink, TaskLink } from "../parts/task-link.tsx"
import { Time } from "../parts/time.tsx"

/** What waits for the reader: questions that nobody has answered. */
export function Decisions({ decisions }: Pick<NowView, "decisions">) {
  if (decisions.length === 0) return null
  return (
    <Card title="Waits for you" note={counted(decisions.length, "open decision")} class="waits">
      <ul class="rows">
        {decisions.map(({ id, content, at, keeps }) => (
          <li key={id} class="row">
            <p class="row-head">
              <MemLink id={id} title={content} />
            </p>
            {keeps.length > 0 && (
              <p class="quiet">
                Keeps{" "}
                {keeps.slice(0, MAX_NAMED).map(({ id: task, title }, index) => (
                  <span key={task}>
                    {index > 0 && ", "}
                    <TaskLink id={task} title={title} />
                  </span>
                ))}
                {keeps.length > MAX_NAMED && ` and ${keeps.length - MAX_NAMED} more`}
              </p>
            )}
            <p class="meta">
              <span>
                asked <Time at={at} />
              </span>
            </p>
            <Decide id={id} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const MAX_NAMED = 3
