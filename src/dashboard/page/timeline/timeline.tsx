import { useState } from "preact/hooks"
import type { NowView, TimelineItem, TimelineView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { usePagesUpTo } from "../data/pages-up-to.ts"
import { choose, route } from "../data/route.ts"
import { amount, counted } from "../parts/amounts.ts"
import { Empty } from "../parts/empty.tsx"
import { SearchField } from "../parts/search-field.tsx"
import { dayOf } from "../parts/time.tsx"
import { Happened } from "./happened.tsx"
import { CHIPS } from "./kinds.ts"

/** The story of the project, a session or a record: who changed what, and what was refused. */
export function Timeline() {
  const { session = "", record = "", find = "", kind = "" } = route.value.params
  const [pages, setPages] = useState({ of: "", count: 1 })
  const of = `${session} ${record} ${find} ${kind}`
  const upTo = pages.of === of ? pages.count : 1
  const { items, first, error } = usePagesUpTo<TimelineItem, TimelineView>(
    "timeline",
    { session, record, find, kind },
    upTo,
  )
  const sessions = useAnswer<NowView>(address("now")).value?.sessions ?? []
  const more = (first?.total ?? 0) - items.length
  return (
    <>
      <div class="toolbar">
        <SearchField
          label="Find in the story"
          value={find}
          onFind={(words) => choose({ find: words }, { replace: true })}
        />
        <SearchField
          label="Session or stamp"
          value={sessions.some(({ host_id }) => host_id === session) ? "" : session}
          onFind={(words) => choose({ session: words }, { replace: true })}
        />
        {sessions.length > 0 && (
          <select
            aria-label="Open session"
            class="wide"
            value={sessions.some(({ host_id }) => host_id === session) ? session : ""}
            onChange={(event) => choose({ session: event.currentTarget.value })}
          >
            <option value="">All sessions</option>
            {sessions.map(({ id, host_id, stamp, intent }) => (
              <option key={id} value={host_id}>
                {intent ?? "No intent yet"} · {stamp}
              </option>
            ))}
          </select>
        )}
        {record !== "" && (
          <button type="button" class="button" onClick={() => choose({ record: null })}>
            Only of {record.slice(0, 8)} ✕
          </button>
        )}
      </div>
      <fieldset class="chips">
        <legend class="unseen">Show</legend>
        {CHIPS.filter(([each]) => !isExport || !NOT_EXPORTED.has(each)).map(([each, word]) => (
          <button
            key={each}
            type="button"
            class="button"
            aria-pressed={kind === each}
            onClick={() => choose({ kind: each })}
          >
            {word}
          </button>
        ))}
      </fieldset>
      {error !== null && <Empty title={error.what}>{error.why}</Empty>}
      {first === undefined && error === null && <p class="quiet loading">Loading…</p>}
      {first?.total === 0 && (
        <Empty title="Nothing has happened here">
          {of.trim() === ""
            ? "Each change of plans, tasks and mems is kept and appears here, with who made it."
            : "Take a filter away to see more of the story."}
        </Empty>
      )}
      {first !== undefined && first.total > 0 && (
        <p class="quiet found">{counted(first.total, "step")}, the newest first</p>
      )}
      {byDay(items).map(([day, of]) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ol class="story" onKeyDown={walk}>
            {of.map((item) => (
              <li key={item.id}>
                <Happened item={item} />
              </li>
            ))}
          </ol>
        </section>
      ))}
      {more > 0 && (
        <button type="button" class="button" onClick={() => setPages({ of, count: upTo + 1 })}>
          Show older ({amount(more)})
        </button>
      )}
    </>
  )
}

/** Filters that an exported page does not offer, because it has no such entries. */
const NOT_EXPORTED = new Set(["all", "snapshot"])

function byDay(items: readonly TimelineItem[]): [string, TimelineItem[]][] {
  const days = new Map<string, TimelineItem[]>()
  for (const item of items) {
    const day = dayOf(item.at)
    const held = days.get(day)
    if (held === undefined) days.set(day, [item])
    else held.push(item)
  }
  return [...days]
}

/** From step to step with the arrow keys. */
function walk(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
  const steps = [...document.querySelectorAll<HTMLElement>(".happened")]
  const at = steps.findIndex((step) => step.contains(document.activeElement))
  const next = steps[at + (event.key === "ArrowDown" ? 1 : -1)]
  if (at < 0 || next === undefined) return
  next.focus()
  event.preventDefault()
}
