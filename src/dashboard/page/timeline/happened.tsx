import type { TimelineItem } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { Ask } from "../parts/ask.tsx"
import { Badge } from "../parts/badge.tsx"
import { Icon } from "../parts/icon.tsx"
import { Id } from "../parts/id.tsx"
import { Refusal } from "../parts/refusals.tsx"
import { clock, exact } from "../parts/time.tsx"
import { lookOf } from "./kinds.ts"
import { Restore } from "./restore.tsx"

/** One step of the story: a sentence, and what it changed in full for who wants it. */
export function Happened({ item }: { item: TimelineItem }) {
  const { at, kind, text, refusal } = item
  const { tone, icon } = lookOf(kind)
  return (
    // The steps are walked through with the arrow keys.
    <article
      class={`happened is-${kind} tone-${tone}`}
      tabIndex={-1}
      aria-label={`${clock(at)}: ${refusal === null ? text : `refused, ${text}`}`}
    >
      <time class="number" dateTime={at} title={exact(at)}>
        {clock(at)}
      </time>
      <span class="happened-sign">
        <Icon name={icon} />
      </span>
      <div class="happened-body">
        {refusal === null ? <Changed item={item} /> : <Refusal refusal={refusal} />}
      </div>
    </article>
  )
}

function Changed({ item }: { item: TimelineItem }) {
  const { id, short, kind, text, session, agent, changes, lost, undoneBy, undoes, from } = item
  const tool = item.tool.replace(ID_BEHIND, "").replace(/^tool /, "")
  return (
    <>
      <p class={undoneBy === null ? "happened-text" : "happened-text is-gone"} dir="auto">
        {text}
      </p>
      {lost.map((each) => (
        <p key={each} class="quiet">
          <Badge is="lost" /> {each}
        </p>
      ))}
      <div class="meta">
        <span>{agent ?? tool}</span>
        {session !== null && <a href={linkTo("timeline", { session })}>this session</a>}
        {from !== null && <span>came with a sync from {from}</span>}
        {undoes !== null && <span>takes back {undoes.slice(0, 8)}</span>}
        {undoneBy !== null && <span>taken back by {undoneBy.slice(0, 8)}</span>}
        {kind === "snapshot" && <Restore id={id} />}
        <details class="happened-details">
          <summary>Details</summary>
          <ul class="changes">
            {changes.slice(0, MAX_CHANGES).map((change, at) => (
              <li key={`${at} ${change}`} dir="auto">
                {inWords(change)}
              </li>
            ))}
            {changes.length > MAX_CHANGES && <li class="quiet">and {changes.length - MAX_CHANGES} more</li>}
          </ul>
          <p class="meta">
            <Id>{short}</Id>
            <span>{tool}</span>
          </p>
          {undoneBy === null && CAN_UNDO.has(kind) && (
            <Ask
              title="Undo"
              label={`Undo “${text}”`}
              note="All that is listed here is taken back, for every session. That can be undone, too."
              fields={[]}
              command={() => ({ do: "undo", entry: id })}
            />
          )}
        </details>
      </div>
    </>
  )
}

/** The log marks with a sign what came and what went. */
function inWords(change: string): string {
  return change.replace(/^\+ /, "Added ").replace(/^- /, "Removed ")
}

/** What a machine keeps its books by, or another clone has sent, is not for a reader to take back. */
const CAN_UNDO = new Set<TimelineItem["kind"]>([
  ...(["undo", "decision", "failure", "done"] as const),
  ...(["session", "plan", "task", "mem", "checkpoint"] as const),
])
/** A command of the queue has its id behind it. */
const ID_BEHIND = / [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MAX_CHANGES = 30
