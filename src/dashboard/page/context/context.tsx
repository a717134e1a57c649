import type { ContextView, SessionRow, Turn } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { choose, route } from "../data/route.ts"
import { amount, counted } from "../parts/amounts.ts"
import { Empty, Loaded } from "../parts/empty.tsx"
import { Drift } from "./drift.tsx"
import { Fixed } from "./fixed.tsx"
import { Plots } from "./plots.tsx"
import { TurnDetail } from "./turn-detail.tsx"
import { TurnList } from "./turn-list.tsx"

/** What the model was sent, turn by turn, and why. */
export function Context() {
  const answer = useAnswer<ContextView>(address("context", { session: route.value.params["session"] }))
  return <Loaded answer={answer}>{(view) => <Told view={view} />}</Loaded>
}

function Told({ view }: { view: ContextView }) {
  const { session, sessions, turns, fixed } = view
  if (session === null) {
    return (
      <>
        <Empty title="No model was told anything yet">
          Start OpenCode in this folder and say something: the first message carries a keyframe, and every
          turn appears here as it was sent.
        </Empty>
        <Fixed fixed={fixed} />
      </>
    )
  }
  const asked = Number(route.value.params["turn"] ?? Number.NaN)
  const chosen = turns.find(({ turn }) => turn === asked) ?? turns.at(-1)
  const told = turns.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <>
      <div class="toolbar">
        <select
          aria-label="Session"
          class="wide"
          value={session.host_id}
          onChange={(event) => choose({ session: event.currentTarget.value, turn: null })}
        >
          {sessions.every(({ id }) => id !== session.id) && (
            <option value={session.host_id}>{nameOf(session)}</option>
          )}
          {sessions.map((each) => (
            <option key={each.id} value={each.host_id}>
              {nameOf(each)}
            </option>
          ))}
        </select>
        <span class="quiet">
          {counted(turns.length, "turn")}, {amount(told)} tokens of ours in all
        </span>
      </div>
      <Plots view={view} onTurn={(turn) => choose({ turn: String(turn) })} />
      <Drift session={session.host_id} onTurn={(turn) => choose({ turn: String(turn) })} />
      {chosen === undefined ? (
        <Empty title="This session was told nothing">Its next message carries a keyframe.</Empty>
      ) : (
        <div class="turns">
          <TurnList turns={turns} chosen={chosen.turn} onTurn={(turn) => choose({ turn: String(turn) })} />
          <TurnDetail
            key={chosen.turn}
            session={session.host_id}
            turn={chosen}
            names={view.names}
            kept={keptIn(view, chosen)}
          />
        </div>
      )}
      <Fixed fixed={fixed} />
    </>
  )
}

function nameOf({ intent, stamp }: SessionRow): string {
  return `${intent ?? "No intent yet"} · ${stamp}`
}

/** How much of what the model read at the turn's first answer was the same as before, so that the provider had it. */
function keptIn({ answers, turns }: ContextView, { at, turn }: Turn): number | null {
  const end = turns.find((each) => each.turn === turn + 1)?.at
  const first = answers.find((each) => each.at >= at && (end === undefined || each.at < end))
  if (first === undefined || first.fresh + first.cached === 0) return null
  return first.cached / (first.fresh + first.cached)
}
