import type { HealthView } from "../../answers/model.ts"
import { counted } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { Time } from "../parts/time.tsx"

/** What people asked for and did not get (yet). */
export function AskedFor({ asked }: Pick<HealthView, "asked">) {
  return (
    <Card title="Your changes" note={counted(asked.length, "change")}>
      <ul class="rows">
        {asked.map(({ id, at, from, text, isWaiting, refusal }) => (
          <li key={id} class="row">
            <p class="row-head">
              <Badge is={isWaiting ? "waiting" : "refusal"} /> <span>{text}</span>
            </p>
            {refusal !== null && (
              <p class="quiet">
                {refusal.what} {refusal.why} {refusal.use_instead}
              </p>
            )}
            <p class="meta">
              <Time at={at} />
              <span>from {from}</span>
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
