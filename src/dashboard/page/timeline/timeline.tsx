import { useState } from "preact/hooks"
import type { RestoreView, TimelineItem, TimelineView } from "../../answers/model.ts"
import { type Answer, errorOf, useList } from "../data/answers.ts"
import { address, ask, isExport } from "../data/data.ts"
import { choose, linkTo, route } from "../data/route.ts"
import { amount, clock, counted, dayOf, exact } from "../parts/format.tsx"
import { Choices, CommandForm, SearchField } from "../parts/forms.tsx"
import { Icon } from "../parts/icon.tsx"
import { Button, Empty, NotLoaded, ShowMore } from "../parts/layout.tsx"
import { Id, Refusal } from "../parts/records.tsx"

export function Timeline() {
  const { session = "", record = "", find = "", kind = "" } = route.value.params
  const params = { session, record, find, kind }
  const { items, first, error, more, showMore } = useList<TimelineItem, TimelineView>("timeline", params)
  return (
    <>
      <div class="toolbar">
        <SearchField label="Find in the timeline" param="find" />
        <SearchField label="Session: its id or time stamp" param="session" />
        {record !== "" && (
          <Button onClick={() => choose({ record: null })}>Only record {record.slice(0, 8)} ✕</Button>
        )}
      </div>
      <Choices
        label="Show"
        class="chips"
        param="kind"
        options={isExport ? KINDS.filter(([each]) => each !== "all" && each !== "snapshot") : KINDS}
      />
      {first === undefined && <NotLoaded error={error} />}
      {first?.total === 0 && (
        <Empty title="Nothing has happened here">
          {session + record + find + kind === ""
            ? "Every change of plans, tasks and mems appears here, with the agent or person that made it."
            : "Remove a filter to see more."}
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

/** The filters of the timeline. An exported page leaves out "Snapshots" and "Everything". */
const KINDS = [
  ["", "Main events"],
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

function Step({ item }: { item: TimelineItem }) {
  const { at, kind, text, refusal } = item
  const { tone, icon } = LOOKS[kind] ?? LOOKS.small
  return (
    // The arrow keys move from step to step (`shell/keys.ts`).
    <article
      class={`happened is-${kind} tone-${tone}`}
      tabIndex={-1}
      aria-label={`${clock(at)}: ${refusal === null ? "" : "refused, "}${text}`}
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
        {undoes !== null && <span>undoes {undoes.slice(0, 8)}</span>}
        {undoneBy !== null && <span>undone by {undoneBy.slice(0, 8)}</span>}
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
              <p>This undoes all changes listed here, for every session. You can undo the undo, too.</p>
            </CommandForm>
          )}
        </details>
      </div>
    </>
  )
}

/** The kinds of steps that have an undo button. `small` and `sync` are among the kinds that have none. */
const CAN_UNDO = new Set<TimelineItem["kind"]>([
  ...(["undo", "decision", "failure", "done"] as const),
  ...(["session", "plan", "task", "mem", "checkpoint"] as const),
])
/** The id at the end of a queued command's tool name. */
const QUEUED_ID = / [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
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

type Found = Pick<Answer<RestoreView>, "value" | "error">

function Restore({ id }: { id: string }) {
  const [{ value: preview, error }, setFound] = useState<Found>(NOT_LOADED)
  const load = () => {
    setFound(NOT_LOADED)
    ask(address("restore", { id })).then(
      (found) => setFound({ value: found as RestoreView, error: null }),
      (failed: unknown) => setFound({ value: undefined, error: errorOf(failed) }),
    )
  }
  const inGit = preview === undefined ? 0 : preview.refs.length + preview.stashes + preview.staged
  const conflicts = preview?.total.conflicts ?? 0
  const isReady = (preview?.total.write ?? 0) + conflicts + inGit > 0
  return (
    <CommandForm
      title="Restore"
      label={`Restore ${id}`}
      onOpen={load}
      isReady={isReady}
      fields={[...(conflicts > 0 ? [OVERWRITE] : []), ...(inGit > 0 ? [WITH_GIT] : [])]}
      command={({ force, refs }) => ({
        ...{ do: "restore", snapshot: id },
        ...(force === "yes" && { force: true }),
        ...(refs === "yes" && { refs: true }),
      })}
    >
      {error !== null && (
        <p class="callout tone-wrong">
          {error.what} {error.why} {error.use_instead}
        </p>
      )}
      {preview === undefined && error === null && <p class="quiet">Comparing the files with {id}…</p>}
      {preview !== undefined && <Preview preview={preview} isNothing={!isReady} />}
    </CommandForm>
  )
}

function Preview({ preview, isNothing }: { preview: RestoreView; isNothing: boolean }) {
  const { total, write, conflicts, created, refs, stashes, staged, notes } = preview
  const inGit = [
    ...refs.map(({ name, commit }) => `${name} at ${commit.slice(0, 10)}`),
    ...(stashes > 0 ? [`stashes: ${amount(stashes)}`] : []),
    ...(staged > 0 ? [counted(staged, "staged file")] : []),
  ]
  return (
    <>
      {isNothing && (
        <p>There is nothing to restore: the files that the call changed are already as they were before.</p>
      )}
      <Files title="To be written" names={write} total={total.write} />
      <Files
        title="Changed since"
        names={conflicts.map(({ path, why }) => `${path}: ${why}`)}
        total={total.conflicts}
      />
      <Files title="Created by the call, never deleted" names={created} total={total.created} />
      <Files title="Branches, tags, stashes and staged files" names={inGit} total={0} />
      {notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      {!isNothing && <p class="quiet">A snapshot is taken first, so that this can be undone.</p>}
    </>
  )
}

function Files({ title, names, total }: { title: string; names: readonly string[]; total: number }) {
  if (names.length === 0) return null
  return (
    <>
      <p>
        <strong>{title}</strong>
        {total > 0 && `: ${counted(total, "file")}`}
      </p>
      <ul class="changes">
        {names.map((name) => (
          <li key={name} dir="auto">
            {name}
          </li>
        ))}
        {total > names.length && <li class="quiet">and {amount(total - names.length)} more</li>}
      </ul>
    </>
  )
}

const NOT_LOADED: Found = { value: undefined, error: null }
const OVERWRITE = {
  name: "force",
  label: "Files that have changed since",
  choices: [
    ["no", "Keep them"],
    ["yes", "Overwrite them"],
  ],
} as const
const WITH_GIT = {
  name: "refs",
  label: "Branches, tags, stashes and staged files",
  choices: [
    ["no", "Leave them as they are"],
    ["yes", "Bring them back"],
  ],
} as const
