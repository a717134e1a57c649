import { useState } from "preact/hooks"
import type { ContextView, Turn } from "../../answers/model.ts"
import { isExport } from "../data/data.ts"
import { amount, counted, percent } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Part } from "../parts/card.tsx"
import { Snippet } from "../parts/snippet.tsx"
import { exact } from "../parts/time.tsx"
import { Items } from "./items.tsx"
import { Replayed } from "./replayed.tsx"

/** One turn: what was sent as it was sent, each item with its reason, and what was left out. */
export function TurnDetail({
  session,
  turn,
  names,
  kept,
}: {
  session: string
  turn: Turn
  names: ContextView["names"]
  /** The share of the prefix that the provider had already; null where it is not known. */
  kept: number | null
}) {
  const [isReplayed, setReplayed] = useState(false)
  const { kind, at, parts, tokens, repeated, budget, items, gone, dropped, reason, score, pruned, drift } =
    turn
  const leftOut = dropped.reduce((sum, { count }) => sum + count, 0)
  return (
    <section class="turn card" aria-labelledby="turn-title">
      <div class="card-head">
        <h2 id="turn-title">Turn {turn.turn}</h2>
        <Badge is={kind} />
      </div>
      <p class="quiet">{exact(at)}</p>
      <p>{reason}</p>
      <dl class="facts">
        <div>
          <dt>Sent</dt>
          <dd class="number">
            {amount(tokens)}
            {budget > 0 && <span class="quiet"> of {amount(budget)}</span>}
          </dd>
        </div>
        <div>
          <dt>In sight before</dt>
          <dd class="number">{amount(repeated)}</dd>
        </div>
        <div>
          <dt>Items</dt>
          <dd class="number">{amount(items.length)}</dd>
        </div>
        <div>
          <dt>Left out</dt>
          <dd class="number">{amount(leftOut)}</dd>
        </div>
        {kept !== null && (
          <div>
            <dt>Prefix kept</dt>
            <dd class="number">{percent(kept)}</dd>
          </div>
        )}
        <div>
          <dt>Long prompts</dt>
          <dd class="number">{Math.round(score)}</dd>
        </div>
        {drift !== undefined && (
          <div>
            <dt>Drift</dt>
            <dd class="number">
              {drift.score === 0 ? "none" : Math.round(drift.score * 100) / 100}
              {drift.score > 0 && <span class="quiet"> of 100</span>}
            </dd>
          </div>
        )}
      </dl>
      <details class="legend">
        <summary>What these mean</summary>
        <p class="quiet">
          In sight before: what of it the model had already. Prefix kept: how much of the request was as
          before, so that the provider read it from its cache. Long prompts: points for long messages since
          the last keyframe; at the threshold the whole state is sent again. Drift: how far the session was
          off its course when the message came.
        </p>
      </details>
      {parts.length > 0 && (
        <Part title="As it was sent">
          {parts.map((part, index) => (
            <Snippet key={index} class="sent">
              {part}
            </Snippet>
          ))}
        </Part>
      )}
      <Items items={items} names={names} />
      {gone.length > 0 && (
        <Part title="No longer so" note={String(gone.length)}>
          <p class="quiet">
            Told before and taken back:{" "}
            {gone.map(({ kind: of, id }) => `${of} ${names[id] ?? id.slice(0, 8)}`).join(", ")}.
          </p>
        </Part>
      )}
      {dropped.length > 0 && (
        <Part title="Left out" note={String(leftOut)}>
          <ul class="plain">
            {dropped.map(({ section, reason: why, count }) => (
              <li key={`${section} ${why}`}>
                <span class="number">{amount(count)}</span> of {section.replaceAll("_", " ")}: {why}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {pruned.length > 0 && (
        <p class="quiet">
          {counted(pruned.length, "old tool output")} became a short note from this message on.
        </p>
      )}
      {!isExport && (
        <Part title="Replay">
          {isReplayed ? (
            <Replayed session={session} turn={turn.turn} />
          ) : (
            <>
              <p class="quiet">
                All that the model saw of us on this turn, also what was still in sight from before.
              </p>
              <button type="button" class="button" onClick={() => setReplayed(true)}>
                Replay this turn
              </button>
            </>
          )}
        </Part>
      )}
    </section>
  )
}
