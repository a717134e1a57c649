import type { ContextView, DriftBegan, FixedCost, Turn } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { choose, route } from "../data/route.ts"
import { Gauge, Plot } from "../parts/figures.tsx"
import { amount, counted, moment, percent, short, spaced, Time } from "../parts/format.tsx"
import { Select } from "../parts/forms.tsx"
import { Icon } from "../parts/icon.tsx"
import { AllGood, Button, Empty, List, Loaded, Snippet } from "../parts/layout.tsx"
import { Badge } from "../parts/records.tsx"
import { TurnDetail } from "./turn.tsx"

export function Context() {
  const answer = useAnswer<ContextView>(address("context", { session: route.value.params["session"] }))
  return <Loaded answer={answer}>{(view) => <Session view={view} />}</Loaded>
}

function Session({ view }: { view: ContextView }) {
  const { session, sessions, turns, fixed } = view
  if (session === null) {
    return (
      <>
        <Empty title="Nothing has been sent to a model yet">
          Start OpenCode in this folder and send a message. The first message carries the whole state, and
          every turn appears here as it was sent.
        </Empty>
        <Fixed fixed={fixed} />
      </>
    )
  }
  const asked = Number(route.value.params["turn"] ?? Number.NaN)
  const chosen = turns.find(({ turn }) => turn === asked) ?? turns.at(-1)
  const isListed = sessions.some(({ id }) => id === session.id)
  const options = (isListed ? sessions : [session, ...sessions]).map(
    ({ host_id, name, created_at }) => [host_id, `${name} · ${moment(created_at)}`] as const,
  )
  return (
    <>
      <div class="toolbar">
        <Select
          label="Session"
          class="wide"
          param="session"
          resets="turn"
          value={session.host_id}
          options={options}
        />
        <span class="quiet">
          {counted(turns.length, "turn")}, {amount(turns.reduce((sum, { tokens }) => sum + tokens, 0))} tokens
          sent by HiveMind in all
        </span>
      </div>
      <Plots view={view} />
      <Drift session={session.host_id} />
      {chosen === undefined ? (
        <Empty title="Nothing has been sent in this session">Its next message carries the whole state.</Empty>
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

/** The share of the turn's first request that the provider read from its cache; null if unknown. */
function cachedShareIn({ answers, turns }: ContextView, { at, turn }: Turn): number | null {
  const end = turns.find((each) => each.turn === turn + 1)?.at
  const first = answers.find((each) => each.at >= at && (end === undefined || each.at < end))
  if (first === undefined || first.fresh + first.cached === 0) return null
  return first.cached / (first.fresh + first.cached)
}

function Drift({ session }: { session: string }) {
  const { value } = useAnswer<DriftBegan>(address("drift", { session }))
  if (value === undefined) return null
  const { began } = value
  if (began === null) return <AllGood>This session has not drifted.</AllGood>
  const { turn, at, signals, isOver, entries, told } = began
  return (
    <div class="callout tone-wait drift">
      <p>
        <Icon name="warning" />{" "}
        <strong>Drift began {turn === null ? "before the first message" : `in turn ${turn}`}</strong>,{" "}
        <Time at={at} />: {signals.map(spaced).join(", ") || "the drift score rose"}.{" "}
        {isOver ? "The session is on course again." : "The session is still off course."}
      </p>
      {entries.length + told.length > 0 && (
        <p class="quiet">
          In that turn the agent changed {counted(entries.length, "record")} and was sent{" "}
          {counted(told.length, "notice")}.
        </p>
      )}
      {turn !== null && <Button onClick={() => showTurn(turn)}>Show turn {turn}</Button>}
    </div>
  )
}

/** The tokens that HiveMind's tools and system prompt add to every request. */
function Fixed({ fixed: { tokens, system, tools } }: { fixed: FixedCost }) {
  return (
    <details>
      <summary>Every request carries {amount(tokens)} tokens of HiveMind</summary>
      <p class="quiet">
        {amount(system.tokens)} in the system prompt, {amount(tools.tokens)} for {tools.each.length} tools.
        They never change, so a provider's prompt cache can keep them.
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

function Plots({ view: { turns, answers, window } }: { view: ContextView }) {
  if (turns.length === 0) return null
  const x = turns.map(({ turn }) => turn)
  const most = amount(Math.max(...turns.map(({ tokens }) => tokens)))
  const places = placesOf(answers, turns)
  const valuesOf = (field: "cached" | "fresh" | "share") => answers.map((answer) => answer[field])
  return (
    <div class="plots">
      <Plot
        title="Sent by HiveMind, by turn"
        summary={`Tokens that HiveMind sent over ${counted(turns.length, "turn")}, at most ${most}. The list below has each.`}
        x={x}
        format={short}
        onChoose={showTurn}
        lines={[
          { label: "sent", values: turns.map((each) => each.tokens), tone: "work", look: "area" },
          { label: "repeated", values: turns.map((each) => each.repeated), tone: "wait", look: "dashed" },
        ]}
      />
      {answers.length > 1 ? (
        <>
          <Plot
            title="Read by the model"
            summary={`Fresh and cached tokens of ${counted(answers.length, "answer")}.`}
            x={places}
            format={short}
            onChoose={showTurn}
            lines={[
              { label: "from the cache", values: valuesOf("cached"), tone: "good", look: "area" },
              { label: "fresh", values: valuesOf("fresh"), tone: "wait" },
            ]}
          />
          <Plot
            title="Context window"
            summary={`How full the window was; now ${percent(window?.share ?? answers.at(-1)?.share ?? 0)}.`}
            x={places}
            format={percent}
            onChoose={showTurn}
            lines={[{ label: "share in use", values: valuesOf("share"), tone: "work", look: "area" }]}
          />
        </>
      ) : (
        window !== null && <Gauge {...window} />
      )}
    </div>
  )
}

/** The answers' positions on the axis of turns. The answers within a turn are spaced evenly up to the next turn. */
function placesOf(answers: ContextView["answers"], turns: ContextView["turns"]): number[] {
  const first = turns[0]?.turn ?? 1
  const turnOf = answers.map(({ at }) => Math.max(first, turns.findLast((turn) => turn.at <= at)?.turn ?? 1))
  return turnOf.map((turn, at) => {
    const nth = at - turnOf.indexOf(turn)
    return turn + nth / (turnOf.lastIndexOf(turn) - turnOf.indexOf(turn) + 1)
  })
}
