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
  const times = answers.map(({ at }) => Date.parse(at) / 1000)
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
            x={times}
            isTime
            format={short}
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
            x={times}
            isTime
            format={percent}
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
