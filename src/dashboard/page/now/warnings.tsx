import type { NowView } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { Do } from "../parts/ask.tsx"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { Icon } from "../parts/icon.tsx"

/** What does not go well, and what to do about it. */
export function Warnings({ warnings, sessions }: Pick<NowView, "warnings"> & { sessions: number }) {
  if (sessions === 0) return null
  if (warnings.length === 0) {
    return (
      <p class="calm tone-good">
        <Icon name="good" /> No warnings. {sessions === 1 ? "The session is" : "Every session is"} on course.
      </p>
    )
  }
  return (
    <Card title="Warnings" note={String(warnings.length)}>
      <ul class="rows">
        {warnings.map(({ session, name, signal, severity, text }) => (
          <li key={`${session} ${signal}`} class="row">
            <p class="meta">
              <Badge is={severity} />
              <span>{signal.replaceAll("_", " ")}</span>
            </p>
            <p>{text}</p>
            <p class="quiet">
              In <a href={linkTo("timeline", { session })}>{name}</a>
            </p>
            <Do
              command={{ do: "acknowledge_warning", session, signal }}
              label={`Acknowledge ${signal.replaceAll("_", " ")}`}
            >
              Acknowledge
            </Do>
          </li>
        ))}
      </ul>
    </Card>
  )
}
