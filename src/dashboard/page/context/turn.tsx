import { useState } from "preact/hooks"
import type { ContextView, Replay, Turn } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { amount, clock, counted, exact, percent, spaced } from "../parts/format.tsx"
import { Button, Facts, ItemList, Loaded, Part, Snippet } from "../parts/layout.tsx"
import { Badge, RecordLink } from "../parts/records.tsx"

interface Chosen {
  session: string
  turn: Turn
  names: ContextView["names"]
  /** The share of the turn's first request that the provider read from its cache; null if unknown. */
  cachedShare: number | null
}

export function TurnDetail({ session, turn, names, cachedShare }: Chosen) {
  const [isReplayed, setReplayed] = useState(false)
  const { tokens, budget, gone, dropped, pruned, drift } = turn
  const leftOut = dropped.reduce((sum, { count }) => sum + count, 0)
  const driftNow = drift === undefined || drift.score === 0 ? "none" : Math.round(drift.score * 100) / 100
  return (
    <section class="turn card" aria-labelledby="turn-title">
      <div class="card-head">
        <h2 id="turn-title">Turn {turn.turn}</h2>
        <Badge is={turn.kind} />
      </div>
      <p class="quiet">{exact(turn.at)}</p>
      <p>{turn.reason}</p>
      <Facts
        of={{
          Sent: withLimit(amount(tokens), budget > 0 ? amount(budget) : null),
          "Repeated from earlier turns": amount(turn.repeated),
          Items: amount(turn.items.length),
          "Left out": amount(leftOut),
          "Read from cache": cachedShare === null ? undefined : percent(cachedShare),
          "Long prompts": Math.round(turn.score),
          Drift: drift && withLimit(driftNow, drift.score > 0 ? "100" : null),
        }}
      />
      <details>
        <summary>Explanation</summary>
        <p class="quiet">
          Repeated from earlier turns: tokens that were already sent in earlier messages. Read from cache: the
          part of the request that the provider read from its cache. Long prompts: points for long messages
          since the last keyframe; at the threshold the whole state is sent again. Drift: how far the session
          was off course when the message came.
        </p>
      </details>
      {turn.parts.length > 0 && (
        <Part title="As it was sent">
          {turn.parts.map((part, index) => (
            <Snippet key={index} class="sent">
              {part}
            </Snippet>
          ))}
        </Part>
      )}
      <Items items={turn.items} names={names} />
      {gone.length > 0 && (
        <Part title="No longer true" note={String(gone.length)}>
          <p class="quiet">
            Sent in earlier turns, and withdrawn now:{" "}
            {gone.map(({ kind, id }) => `${kind} ${names[id] ?? id.slice(0, 8)}`).join(", ")}.
          </p>
        </Part>
      )}
      <ItemList
        title="Left out"
        of={dropped}
        row={({ section, reason, count }) => `${amount(count)} of ${spaced(section)}: ${reason}`}
      />
      {pruned.length > 0 && (
        <p class="quiet">
          From this message on, a short note replaces {counted(pruned.length, "old tool output")}.
        </p>
      )}
      {!isExport && (
        <Part title="Replay">
          {isReplayed ? (
            <Replayed session={session} turn={turn.turn} />
          ) : (
            <>
              <p class="quiet">
                Everything HiveMind sent the model on this turn, and what it still saw of earlier turns.
              </p>
              <Button onClick={() => setReplayed(true)}>Replay this turn</Button>
            </>
          )}
        </Part>
      )}
    </section>
  )
}

function withLimit(value: string | number, limit: string | null) {
  return (
    <>
      {value}
      {limit !== null && <span class="quiet"> of {limit}</span>}
    </>
  )
}

type Item = Turn["items"][number]

function Items({ items, names }: { items: readonly Item[]; names: ContextView["names"] }) {
  if (items.length === 0) return null
  return (
    <Part title="Items" note={String(items.length)}>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Why</th>
            <th scope="col" class="right">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={`${item.kind} ${item.id} ${item.role} ${item.on ?? ""}`}>
              <td>
                <RecordLink kind={item.kind} id={item.id} title={titleOf(item, names[item.id])} />
              </td>
              <td>{item.reason}</td>
              <td class="right number">{amount(item.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  )
}

function titleOf({ kind, id, role, identity, description }: Item, known: string | undefined): string {
  const { title, key, id: given } = identity
  const name = title ?? key ?? known ?? description ?? given ?? (kind === "head" ? "" : id.slice(0, 8))
  return `${spaced(role)} ${name}`.trim()
}

function Replayed({ session, turn }: { session: string; turn: number }) {
  const answer = useAnswer<Replay>(address("replay", { session, turn }))
  return (
    <Loaded answer={answer}>
      {({ in_sight, out_of_sight, removed, told, until }) => (
        <>
          <p>
            {in_sight.length === 0
              ? "The model saw no earlier turns."
              : `Still in the context: ${in_sight.map((each) => `turn ${each.turn} (${each.kind})`).join(", ")}.`}
            {out_of_sight > 0 && ` A compaction had removed ${counted(out_of_sight, "message")}.`}
            {removed.length > 0 &&
              ` A short note had replaced ${counted(removed.length, "old tool output")}.`}
          </p>
          {told.length === 0 && <p class="quiet">HiveMind sent nothing more during the turn.</p>}
          <ol class="checkpoints">
            {told.map((each, index) => (
              <li key={`${index} ${each.at}`} class={each.kind === "refusal" ? "tone-wrong" : ""}>
                <p class="meta">
                  <Badge is={each.kind} />
                  {each.tool !== null && <span>{each.tool}</span>}
                  <span class="number">{clock(each.at)}</span>
                </p>
                <Snippet>{each.text}</Snippet>
              </li>
            ))}
          </ol>
          <p class="quiet">
            {until === null ? "This is the last turn." : `The next message came at ${clock(until)}.`}
          </p>
        </>
      )}
    </Loaded>
  )
}
