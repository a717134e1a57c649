import type { HealthView } from "../../answers/model.ts"
import { counted } from "../parts/amounts.ts"
import { Do } from "../parts/ask.tsx"
import { Card } from "../parts/card.tsx"
import { Time } from "../parts/time.tsx"

/** What two clones wrote that cannot both hold. A rule has decided; a person has the last word. */
export function Conflicts({ conflicts }: Pick<HealthView, "conflicts">) {
  return (
    <Card title="To settle" note={counted(conflicts.length, "conflict")}>
      <ul class="rows">
        {conflicts.map(({ id, record, stands, lost, at }) => (
          <li key={id} class="row">
            <p class="row-head">
              <strong>{record}</strong>
            </p>
            <div class="versus">
              <div>
                <p class="quiet">Stands</p>
                <p>{stands}</p>
                <Do
                  command={{ do: "settle_conflict", conflict: id, take: "kept" }}
                  label={`Keep what stands of ${record}`}
                >
                  Keep this
                </Do>
              </div>
              <div>
                <p class="quiet">Lost</p>
                <p>{lost}</p>
                <Do
                  command={{ do: "settle_conflict", conflict: id, take: "lost" }}
                  label={`Take what lost of ${record}`}
                >
                  Take this instead
                </Do>
              </div>
            </div>
            <p class="meta">
              <Time at={at} />
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
