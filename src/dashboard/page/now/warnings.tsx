import type { NowView } from "../../answers/model.ts"
import { Do } from "../parts/ask.tsx"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { Icon } from "../parts/icon.tsx"

/** What does not go well, and what to do about it. */
export function Warnings({ warnings }: { warnings: NowView["warnings"] }) {
  if (warnings.length === 0) {
    return (
      <p class="calm tone-good">
        <Icon name="good" /> No warnings. Every session is on course.
      </p>
    )
  }
  return (
    <Card title="Warnings" note={String(warnings.length)}>
      <ul class="rows">
        {warnings.map(({ session, stamp, signal, severity, text }) => (
          <li key={`${session} ${signal}`} class="row">
            <p class="meta">
              <Badge is={severity} />
              <span>{signal.replaceAll("_", " ")}</span>
              <span class="number">{stamp}</span>
            </p>
            <p>{text}</p>
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
