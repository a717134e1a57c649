import type { DriftBegan } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { counted } from "../parts/amounts.ts"
import { Icon } from "../parts/icon.tsx"
import { Time } from "../parts/time.tsx"

/** Where the session left its course, if it did. */
export function Drift({ session, onTurn }: { session: string; onTurn: (turn: number) => void }) {
  const { value } = useAnswer<DriftBegan>(address("drift", { session }))
  if (value === undefined) return null
  const { began } = value
  if (began === null) {
    return (
      <p class="calm tone-good">
        <Icon name="good" /> This session has never left its course.
      </p>
    )
  }
  const { turn, at, signals, isOver, entries, told } = began
  return (
    <div class="callout tone-wait drift">
      <p>
        <Icon name="warning" />{" "}
        <strong>Drift began {turn === null ? "before the first message" : `in turn ${turn}`}</strong>,{" "}
        <Time at={at} />: {signals.map((each) => each.replaceAll("_", " ")).join(", ") || "the score rose"}.{" "}
        {isOver ? "It has found back since." : "It is still off its course."}
      </p>
      {entries.length + told.length > 0 && (
        <p class="quiet">
          In that turn it changed {counted(entries.length, "record")} and was told{" "}
          {counted(told.length, "thing")}.
        </p>
      )}
      {turn !== null && (
        <button type="button" class="button" onClick={() => onTurn(turn)}>
          Show turn {turn}
        </button>
      )}
    </div>
  )
}
