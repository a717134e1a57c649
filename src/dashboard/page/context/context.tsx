import type { ContextView, DriftBegan, FixedCost, SessionRow, Turn } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { choose, route } from "../data/route.ts"
import { amount, counted, moment, spaced, Time } from "../parts/format.tsx"
import { Select } from "../parts/forms.tsx"
import { Icon } from "../parts/icon.tsx"
import { AllGood, Empty, List, Loaded, Snippet } from "../parts/layout.tsx"
import { Badge } from "../parts/records.tsx"
import { Plots } from "./plots.tsx"
import { TurnDetail } from "./turn.tsx"

/** The context that the model was sent, turn by turn, and why. */
export function Context() {
  const answer = useAnswer<ContextView>(address("context", { session: route.value.params["session"] }))
  return <Loaded answer={answer}>{(view) => <Session view={view} />}</Loaded>
}

function Session({ view }: { view: ContextView }) {
  const { session, sessions, turns, fixed } = view
  if (session === null) {
    return (
      <>
        <Empty title="No model was sent anything yet">
          Start OpenCode in this folder and say something: the first message carries a keyframe, and every
          turn appears here as it was sent.
        </Empty>
        <Fixed fixed={fixed} />
      </>
    )
  }
  const asked = Number(route.value.params["turn"] ?? Number.NaN)
  const chosen = turns.find(({ turn }) => turn === asked) ?? turns.at(-1)
  const isListed = sessions.some(({ id }) => id === session.id)
  const options = (isListed ? sessions : [session, ...sessions]).map(optionOf)
  return (
    <>
      <div class="toolbar">
        <Select
          label="Session"
          class="wide"
          value={session.host_id}
          options={options}
          onChoose={(id) => choose({ session: id, turn: null })}
        />
        <span class="quiet">
          {counted(turns.length, "turn")}, {amount(turns.reduce((sum, { tokens }) => sum + tokens, 0))} tokens
          injected in all
        </span>
      </div>
      <Plots view={view} onTurn={showTurn} />
      <Drift session={session.host_id} />
      {chosen === undefined ? (
        <Empty title="This session was sent nothing">Its next message carries a keyframe.</Empty>
      ) : (
        <div class="turns">
          <List
            label="Turns"
            class="turn-list"
            items={turns.toReversed()}
            keyOf={({ message }) => message}
            row={(turn) => <TurnRow turn={turn} isChosen={turn === chosen} />}
          />
          <TurnDetail
            key={chosen.turn}
            session={session.host_id}
            turn={chosen}
            names={view.names}
            cachedShare={cachedShareIn(view, chosen)}
          />
        </div>
      )}
      <Fixed fixed={fixed} />
    </>
  )
}

function optionOf({ host_id, name, created_at }: SessionRow): readonly [string, string] {
  return [host_id, `${name} · ${moment(created_at)}`]
}

function showTurn(turn: number): void {
  choose({ turn: String(turn) })
}

function TurnRow({ turn, isChosen }: { turn: Turn; isChosen: boolean }) {
  const { kind, tokens, at } = turn
  return (
    <button type="button" class="turn-row" aria-pressed={isChosen} onClick={() => showTurn(turn.turn)}>
      <span class="turn-number number">{turn.turn}</span>
      <span class="meta">
        <Badge is={kind} />
        <span class="number">{amount(tokens)} tokens</span>
        <Time at={at} />
      </span>
    </button>
  )
}

/** The share of the turn's first request that the provider read from its cache; null where that is not known. */
function cachedShareIn({ answers, turns }: ContextView, { at, turn }: Turn): number | null {
  const end = turns.find((each) => each.turn === turn + 1)?.at
  const first = answers.find((each) => each.at >= at && (end === undefined || each.at < end))
  if (first === undefined || first.fresh + first.cached === 0) return null
  return first.cached / (first.fresh + first.cached)
}

/** The turn where the session left its course. */
function Drift({ session }: { session: string }) {
  const { value } = useAnswer<DriftBegan>(address("drift", { session }))
  if (value === undefined) return null
  const { began } = value
  if (began === null) return <AllGood>This session has never left its course.</AllGood>
  const { turn, at, signals, isOver, entries, told } = began
  return (
    <div class="callout tone-wait drift">
      <p>
        <Icon name="warning" />{" "}
        <strong>Drift began {turn === null ? "before the first message" : `in turn ${turn}`}</strong>,{" "}
        <Time at={at} />: {signals.map(spaced).join(", ") || "the score rose"}.{" "}
        {isOver ? "It has found back since." : "It is still off its course."}
      </p>
      {entries.length + told.length > 0 && (
        <p class="quiet">
          In that turn it changed {counted(entries.length, "record")} and was sent{" "}
          {counted(told.length, "notice")}.
        </p>
      )}
      {turn !== null && (
        <button type="button" class="button" onClick={() => showTurn(turn)}>
          Show turn {turn}
        </button>
      )}
    </div>
  )
}

/** Tokens of tools and protocol in every request; providers that cache count them once. */
function Fixed({ fixed: { tokens, system, tools } }: { fixed: FixedCost }) {
  return (
    <details>
      <summary>Every request carries {amount(tokens)} tokens of HiveMind</summary>
      <p class="quiet">
        {amount(system.tokens)} in the system prompt, {amount(tools.tokens)} for {tools.each.length} tools.
        They never change, so a provider that caches reads them once.
      </p>
      <Snippet>{system.text}</Snippet>
      <ul class="plain columns">
        {tools.each.map(({ name, tokens: each }) => (
          <li key={name}>
            <code>{name}</code> <span class="quiet number">{amount(each)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
