import type { ContextView } from "../../answers/model.ts"
import { amount, counted, percent, short } from "../parts/amounts.ts"
import { Gauge } from "../parts/gauge.tsx"
import { Plot } from "../parts/plot.tsx"

/** How the session went: what was put before the model, and how full its window was. */
export function Plots({ view, onTurn }: { view: ContextView; onTurn: (turn: number) => void }) {
  const { turns, answers = [], window } = view
  if (turns.length === 0) return null
  const x = turns.map(({ turn }) => turn)
  const most = Math.max(...turns.map(({ tokens }) => tokens))
  const places = placesOf(answers, turns)
  const choosePlace = (index: number) => onTurn(Math.floor(places[index] ?? 1))
  return (
    <div class="plots">
      <Plot
        title="Injected by turn"
        summary={`Tokens injected over ${counted(turns.length, "turn")}, at most ${amount(most)}. The list below has each.`}
        x={x}
        format={short}
        onChoose={(index) => onTurn(x[index] ?? 1)}
        lines={[
          { label: "injected", values: turns.map(({ tokens }) => tokens), tone: "work", isArea: true },
          {
            label: "of these repeated",
            values: turns.map(({ repeated }) => repeated),
            tone: "wait",
            isDashed: true,
          },
        ]}
      />
      {answers.length > 1 ? (
        <>
          <Plot
            title="Read by the model"
            summary={`Fresh and cached tokens of ${counted(answers.length, "answer")}.`}
            x={places}
            format={short}
            onChoose={choosePlace}
            lines={[
              {
                label: "from the cache",
                values: answers.map(({ cached }) => cached),
                tone: "good",
                isArea: true,
              },
              { label: "anew", values: answers.map(({ fresh }) => fresh), tone: "wait" },
            ]}
          />
          <Plot
            title="Pressure"
            summary={`How full the window was; now ${percent(window?.share ?? answers.at(-1)?.share ?? 0)}.`}
            x={places}
            format={percent}
            onChoose={choosePlace}
            lines={[
              {
                label: "of the window",
                values: answers.map(({ share }) => share),
                tone: "work",
                isArea: true,
              },
            ]}
          />
        </>
      ) : (
        window !== null && <Gauge {...window} />
      )}
    </div>
  )
}

/** By turn, not by the clock: a night between two messages says nothing. The answers of a turn stand between it and the next. */
function placesOf(answers: ContextView["answers"], turns: ContextView["turns"]): number[] {
  const turnOf = (at: string) =>
    Math.max(turns[0]?.turn ?? 1, turns.findLast((turn) => turn.at <= at)?.turn ?? 1)
  const of = answers.map(({ at }) => turnOf(at))
  const counts = new Map<number, number>()
  for (const turn of of) counts.set(turn, (counts.get(turn) ?? 0) + 1)
  const seen = new Map<number, number>()
  return of.map((turn) => {
    const nth = seen.get(turn) ?? 0
    seen.set(turn, nth + 1)
    return turn + nth / (counts.get(turn) ?? 1)
  })
}
