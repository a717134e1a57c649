import type { ContextView } from "../../answers/model.ts"
import { Gauge, Plot } from "../parts/figures.tsx"
import { amount, counted, percent, short } from "../parts/format.tsx"

/** Injected tokens and context window use of a session. */
export function Plots({ view, onTurn }: { view: ContextView; onTurn: (turn: number) => void }) {
  const { turns, answers, window } = view
  if (turns.length === 0) return null
  const x = turns.map(({ turn }) => turn)
  const most = amount(Math.max(...turns.map(({ tokens }) => tokens)))

  const places = placesOf(answers, turns)
  return (
    <div class="plots">
      <Plot
        title="Injected by turn"
        summary={`Tokens injected over ${counted(turns.length, "turn")}, at most ${most}. The list below has each.`}
        x={x}
        format={short}
        onChoose={onTurn}
        lines={[
          { label: "injected", values: turns.map(({ tokens }) => tokens), tone: "work", isArea: true },
          {
            label: "of these repeated",
            values: turns.map((each) => each.repeated),
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
            onChoose={onTurn}
            lines={[
              {
                label: "from the cache",
                values: answers.map((each) => each.cached),
                tone: "good",
                isArea: true,
              },
              { label: "fresh", values: answers.map(({ fresh }) => fresh), tone: "wait" },
            ]}
          />
          <Plot
            title="Pressure"
            summary={`How full the window was; now ${percent(window?.share ?? answers.at(-1)?.share ?? 0)}.`}
            x={places}
            format={percent}
            onChoose={onTurn}
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

/** Positions of answers on the axis of turns: those of one turn evenly between it and the next, regardless of their times. */
function placesOf(answers: ContextView["answers"], turns: ContextView["turns"]): number[] {
  const first = turns[0]?.turn ?? 1
  const turnOf = answers.map(({ at }) => Math.max(first, turns.findLast((turn) => turn.at <= at)?.turn ?? 1))
  return turnOf.map((turn, at) => {
    const nth = at - turnOf.indexOf(turn)
    return turn + nth / (turnOf.lastIndexOf(turn) - turnOf.indexOf(turn) + 1)
  })
}
