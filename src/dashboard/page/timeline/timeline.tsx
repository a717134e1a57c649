import type { NowView, TimelineItem, TimelineView } from "../../answers/model.ts"
import { useAnswer, useList } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { choose, route } from "../data/route.ts"
import { counted, dayOf, moment } from "../parts/format.tsx"
import { Choices, SearchField, Select } from "../parts/forms.tsx"
import { Empty, NotLoaded, ShowMore } from "../parts/layout.tsx"
import { Step } from "./step.tsx"

/** The story of the project, a session or a record: changes with their authors, and refused calls. */
export function Timeline() {
  const { session = "", record = "", find = "", kind = "" } = route.value.params
  const params = { session, record, find, kind }
  const { items, first, error, more, showMore } = useList<TimelineItem, TimelineView>("timeline", params)
  const sessions = useAnswer<NowView>(address("now")).value?.sessions ?? []
  const isOpenSession = sessions.some(({ host_id }) => host_id === session)
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
          value={isOpenSession ? "" : session}
          onFind={(words) => choose({ session: words }, { replace: true })}
        />
        {sessions.length > 0 && (
          <Select
            label="Open session"
            class="wide"
            value={isOpenSession ? session : ""}
            options={[
              ["", "All sessions"],
              ...sessions.map((each) => [each.host_id, `${each.name} · ${moment(each.created_at)}`] as const),
            ]}
            onChoose={(chosen) => choose({ session: chosen })}
          />
        )}
        {record !== "" && (
          <button type="button" class="button" onClick={() => choose({ record: null })}>
            Only of {record.slice(0, 8)} ✕
          </button>
        )}
      </div>
      <Choices
        label="Show"
        class="chips"
        value={kind}
        options={isExport ? KINDS.filter(([each]) => each !== "all" && each !== "snapshot") : KINDS}
        onChoose={(chosen) => choose({ kind: chosen })}
      />
      {first === undefined && <NotLoaded error={error} />}
      {first?.total === 0 && (
        <Empty title="Nothing has happened here">
          {session + record + find + kind === ""
            ? "Each change of plans, tasks and mems is kept and appears here, with who made it."
            : "Take a filter away to see more of the story."}
        </Empty>
      )}
      {first !== undefined && first.total > 0 && (
        <p class="quiet found">{counted(first.total, "step")}, the newest first</p>
      )}
      {byDay(items).map(([day, steps]) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ol class="story">
            {steps.map((item) => (
              <li key={item.id}>
                <Step item={item} />
              </li>
            ))}
          </ol>
        </section>
      ))}
      <ShowMore more={more} onClick={showMore} />
    </>
  )
}

function byDay(items: readonly TimelineItem[]): [string, TimelineItem[]][] {
  const days = new Map<string, TimelineItem[]>()
  for (const item of items) {
    const day = dayOf(item.at)
    days.set(day, [...(days.get(day) ?? []), item])
  }
  return [...days]
}

/** Filters of the timeline. An export has no bookkeeping and no snapshots. */
const KINDS = [
  ["", "The story"],
  ["decision", "Decisions"],
  ["done", "Done"],
  ["failure", "Failures"],
  ["refusal", "Refusals"],
  ["snapshot", "Snapshots"],
  ["mem", "Learned"],
  ["context", "Compactions and splits"],
  ["sync", "Syncs"],
  ["all", "Everything"],
] as const
