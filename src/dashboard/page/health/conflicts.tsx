import type { ConflictRow, HealthView } from "../../answers/model.ts"
import { counted } from "../parts/amounts.ts"
import { Do } from "../parts/ask.tsx"
import { Card } from "../parts/card.tsx"
import { Time } from "../parts/time.tsx"

/** What two clones wrote that cannot both hold. A rule has decided; a person has the last word. */
export function Conflicts({ conflicts }: Pick<HealthView, "conflicts">) {
  return (
    <Card title="To settle" note={counted(conflicts.length, "conflict")}>
      <ul class="rows">
        {conflicts.map((conflict) => (
          <li key={conflict.id} class="row">
            <Told conflict={conflict} isOpen />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** What needed nobody: kept, so that nothing is lost unseen. */
export function Settled({ settled }: Pick<HealthView, "settled">) {
  if (settled.length === 0) return null
  return (
    <details class="card">
      <summary>{counted(settled.length, "conflict")} of a sync settled already</summary>
      <ul class="rows">
        {settled.map((conflict) => (
          <li key={conflict.id} class="row">
            <Told conflict={conflict} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Told({ conflict, isOpen = false }: { conflict: ConflictRow; isOpen?: boolean }) {
  const { id, record, happened, stands, lost, kept_by, lost_by, at } = conflict
  return (
    <>
      <p class="row-head">
        <strong>{record}</strong> <span>{happened}</span>
      </p>
      <div class="versus">
        <div>
          <p class="quiet">Stands{from(kept_by)}</p>
          <p>{stands}</p>
          {isOpen && (
            <Do
              command={{ do: "settle_conflict", conflict: id, take: "kept" }}
              label={`Keep what stands of ${record}`}
            >
              Keep this
            </Do>
          )}
        </div>
        <div>
          <p class="quiet">Lost{from(lost_by)}</p>
          <p>{lost}</p>
          {isOpen && (
            <Do
              command={{ do: "settle_conflict", conflict: id, take: "lost" }}
              label={`Take what lost of ${record}`}
            >
              Take this instead
            </Do>
          )}
        </div>
      </div>
      <p class="meta">
        <Time at={at} />
      </p>
    </>
  )
}

function from(clone: string | null): string {
  return clone === null ? "" : `, from clone ${clone}`
}
