import type { TimelineItem } from "../../answers/model.ts"
import { linkTo } from "../data/route.ts"
import { clock, exact } from "../parts/format.tsx"
import { CommandForm } from "../parts/forms.tsx"
import { Icon } from "../parts/icon.tsx"
import { Id, Refusal } from "../parts/records.tsx"
import { Restore } from "./restore.tsx"

/** One step of the story: a sentence, and its changes in full on demand. */
export function Step({ item }: { item: TimelineItem }) {
  const { at, kind, text, refusal } = item
  const { tone, icon } = LOOKS[kind] ?? LOOKS.small
  return (
    // The arrow keys go from step to step (`shell/keys.ts`).
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
  const { id, kind, text, session, agent, changes, undoneBy, undoes, from } = item
  const tool = item.tool.replace(QUEUED_ID, "").replace(/^tool /, "")
  return (
    <>
      <p class={undoneBy === null ? "happened-text" : "happened-text is-gone"} dir="auto">
        {text}
      </p>
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
            {changes.map((change, index) => (
              <li key={`${index} ${change}`} dir="auto">
                {change.replace(/^\+ /, "Added ").replace(/^- /, "Removed ")}
              </li>
            ))}
          </ul>
          <p class="meta">
            <Id>{item.short}</Id>
            <span>{tool}</span>
          </p>
          {undoneBy === null && CAN_UNDO.has(kind) && (
            <CommandForm
              title="Undo"
              label={`Undo “${text}”`}
              fields={[]}
              command={() => ({ do: "undo", entry: id })}
            >
              <p>All that is listed here is taken back, for every session. That can be undone, too.</p>
            </CommandForm>
          )}
        </details>
      </div>
    </>
  )
}

/** Bookkeeping, and entries that another clone has sent, are not for a reader to undo. */
const CAN_UNDO = new Set<TimelineItem["kind"]>([
  ...(["undo", "decision", "failure", "done"] as const),
  ...(["session", "plan", "task", "mem", "checkpoint"] as const),
])
/** The tool of a queued command ends with the command's id. */
const QUEUED_ID = / [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** An icon for each kind, and a colour where it matters. */
const LOOKS = {
  decision: { tone: "work", icon: "review" },
  failure: { tone: "wrong", icon: "failed" },
  refusal: { tone: "wrong", icon: "blocked" },
  warning: { tone: "wait", icon: "good" },
  done: { tone: "good", icon: "completed" },
  session: { tone: "plain", icon: "now" },
  context: { tone: "wait", icon: "context" },
  plan: { tone: "plain", icon: "plans" },
  task: { tone: "work", icon: "active" },
  mem: { tone: "plain", icon: "memory" },
  sync: { tone: "plain", icon: "timeline" },
  undo: { tone: "wait", icon: "undo" },
  snapshot: { tone: "plain", icon: "undo" },
  checkpoint: { tone: "plain", icon: "planned" },
  small: { tone: "plain", icon: "minus" },
} as const
