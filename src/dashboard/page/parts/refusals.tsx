import type { RefusalRow } from "../../answers/model.ts"
import { Badge } from "./badge.tsx"
import { Snippet } from "./snippet.tsx"
import { Time } from "./time.tsx"

/** What agents were kept from: what, why, and what would have been the way. */
export function Refusals({ items }: { items: readonly RefusalRow[] }) {
  return (
    <ul class="rows">
      {items.map((refusal) => (
        <li key={refusal.id} class="row">
          <Refusal refusal={refusal} />
        </li>
      ))}
    </ul>
  )
}

export function Refusal({ refusal }: { refusal: RefusalRow }) {
  const { at, agent, tool, what, why, use_instead, command, files, times, lift } = refusal
  return (
    <>
      <p class="row-head">
        <Badge is="refusal" />
        <strong>{what}</strong>
      </p>
      <p>{why}</p>
      <p class="quiet">Instead: {use_instead}</p>
      {(command ?? files[0]) !== undefined && <Snippet>{command ?? files.join("\n")}</Snippet>}
      {lift !== null && <p class="quiet">If it should have been allowed: {lift}</p>}
      <p class="meta">
        <Time at={at} />
        <span>{agent ?? "agent"}</span>
        <span>{tool}</span>
        {times > 1 && <span>{times} times</span>}
      </p>
    </>
  )
}
