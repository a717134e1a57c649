import type { TimelineItem } from "../../answers/model.ts"
import { order } from "../data/commands.ts"
import { isExport } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { Badge } from "../parts/badge.tsx"
import { Icon } from "../parts/icon.tsx"
import { Id } from "../parts/id.tsx"
import { Refusal } from "../parts/refusals.tsx"
import { clock, exact } from "../parts/time.tsx"

/** One step of the story. */
export function Happened({ item }: { item: TimelineItem }) {
  const { at, refusal } = item
  return (
    // The steps are walked through with the arrow keys.
    <article
      class={refusal === null ? "happened" : "happened tone-wrong"}
      tabIndex={-1}
      aria-label={labelOf(item)}
    >
      <time class="number" dateTime={at} title={exact(at)}>
        {clock(at)}
      </time>
      <div class="happened-body">
        {refusal === null ? <Changed item={item} /> : <Refusal refusal={refusal} />}
      </div>
    </article>
  )
}

function Changed({ item }: { item: TimelineItem }) {
  const { id, short, session, agent, changes, lost, undoneBy, undoes, from } = item
  const tool = item.tool.replace(ID_BEHIND, "")
  const label = `Undo “${inWords(changes[0] ?? short)}”`
  return (
    <div class="with-action">
      <div class={undoneBy === null ? "" : "is-gone"}>
        <ul class="changes">
          {changes.slice(0, MAX_CHANGES).map((change, at) => (
            <li key={`${at} ${change}`} dir="auto">
              {inWords(change)}
            </li>
          ))}
          {changes.length > MAX_CHANGES && <li class="quiet">and {changes.length - MAX_CHANGES} more</li>}
          {lost.map((each) => (
            <li key={each} class="quiet">
              <Badge is="lost" /> {each}
            </li>
          ))}
        </ul>
        <p class="meta">
          <Id>{short}</Id>
          <span>{agent ?? tool}</span>
          {agent !== null && <span>{tool}</span>}
          {session !== null && <a href={linkTo("timeline", { session })}>this session</a>}
          {from !== null && <span>came with a sync from {from}</span>}
          {undoes !== null && <span>takes back {undoes.slice(0, 8)}</span>}
          {undoneBy !== null && <span>taken back by {undoneBy.slice(0, 8)}</span>}
        </p>
      </div>
      {!isExport && undoneBy === null && (
        <button
          type="button"
          class="button ghost"
          aria-label={label}
          onClick={() => order({ do: "undo", entry: id }, label)}
        >
          <Icon name="undo" /> Undo
        </button>
      )}
    </div>
  )
}

function labelOf({ refusal, changes, at }: TimelineItem): string {
  return `${clock(at)}: ${refusal === null ? (changes[0] ?? "a change") : `refused, ${refusal.what}`}`
}

/** The log marks with a sign what came and what went. */
function inWords(change: string): string {
  return change.replace(/^\+ /, "Added ").replace(/^- /, "Removed ")
}

/** A command of the queue has its id behind it. */
const ID_BEHIND = / [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MAX_CHANGES = 6
