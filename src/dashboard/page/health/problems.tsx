import type { ConflictRow, HealthView } from "../../answers/model.ts"
import { counted, Time } from "../parts/format.tsx"
import { SendButton } from "../parts/forms.tsx"
import { Row, Rows, RowsCard } from "../parts/layout.tsx"
import { Badge } from "../parts/records.tsx"

type Problem = HealthView["problems"][number]

/** Files and records that cannot be used as they are, and what to do about them. */
export function Problems({ problems, unlisted }: Pick<HealthView, "problems" | "unlisted">) {
  return (
    <>
      <RowsCard
        title="Problems"
        unit="problem"
        of={problems.map((each) => ({ ...each, id: `${each.file} ${each.what}` }))}
        row={(problem) => <ProblemRow problem={problem} />}
      />
      {unlisted > 0 && <p class="quiet">and {unlisted} more: hivemind doctor lists them all.</p>}
    </>
  )
}

function ProblemRow({ problem: { what, level, file, mend } }: { problem: Problem }) {
  return (
    <Row head={<Badge is={level} />}>
      <p>{what}</p>
      <p class="files quiet">{file}</p>
      {mend !== null && <p>To repair: {mend}</p>}
    </Row>
  )
}

/** Sync conflicts that a rule has decided and a person has not confirmed. */
export function OpenConflicts({ conflicts }: Pick<HealthView, "conflicts">) {
  const row = (conflict: ConflictRow) => <Conflict conflict={conflict} isOpen />
  return <RowsCard title="To settle" unit="conflict" of={conflicts} row={row} />
}

export function SettledConflicts({ settled }: Pick<HealthView, "settled">) {
  if (settled.length === 0) return null
  return (
    <details class="card">
      <summary>{counted(settled.length, "conflict")} of a sync settled already</summary>
      <Rows of={settled} row={(conflict) => <Conflict conflict={conflict} isOpen={false} />} />
    </details>
  )
}

function Conflict({ conflict, isOpen }: { conflict: ConflictRow; isOpen: boolean }) {
  const { id, record, happened, stands, lost, kept_by, lost_by, at } = conflict
  const side = (title: string, clone: string | null, text: string, take: "kept" | "lost", action: string) => (
    <div>
      <p class="quiet">
        {title}
        {clone !== null && `, from clone ${clone}`}
      </p>
      <p>{text}</p>
      {isOpen && (
        <SendButton
          command={{ do: "settle_conflict", conflict: id, take }}
          label={`${take === "kept" ? "Keep the current value" : "Take the other value"} of ${record}`}
        >
          {action}
        </SendButton>
      )}
    </div>
  )
  const head = (
    <>
      <strong>{record}</strong> <span>{happened}</span>
    </>
  )
  return (
    <Row head={head} meta={[<Time at={at} />]}>
      <div class="versus">
        {side("Current value", kept_by, stands, "kept", "Keep this")}
        {side("Other value", lost_by, lost, "lost", "Take this instead")}
      </div>
    </Row>
  )
}

/** Changes of people that wait in the queue or were refused. */
export function AskedChanges({ asked }: Pick<HealthView, "asked">) {
  return (
    <RowsCard
      title="Your changes"
      unit="change"
      of={asked}
      row={({ at, from, text, isWaiting, refusal }) => (
        <Row
          head={[<Badge is={isWaiting ? "waiting" : "refusal"} />, <span>{text}</span>]}
          meta={[<Time at={at} />, `from ${from}`]}
        >
          {refusal !== null && (
            <p class="quiet">
              {refusal.what} {refusal.why} {refusal.use_instead}
            </p>
          )}
        </Row>
      )}
    />
  )
}
