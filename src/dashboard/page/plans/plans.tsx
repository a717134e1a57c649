import { useMemo, useRef, useState } from "preact/hooks"
import type { NowView, PlansView, PlanView, TaskRow, TaskView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { linkTo, route } from "../data/route.ts"
import { amount, Time } from "../parts/format.tsx"
import { Choices, SearchField, Select } from "../parts/forms.tsx"
import { Empty, ItemList, List, Loaded, NotLoaded, ShowMore } from "../parts/layout.tsx"
import { Badge, Progress, RecordLink, Refusal, spentText } from "../parts/records.tsx"
import { openSheet } from "../parts/sheet.tsx"
import { PlanGraph } from "./plan-graph.tsx"

export function Plans() {
  const answer = useAnswer<PlansView>(address("plans"))
  const now = useAnswer<NowView>(address("now"))
  const { plan: asked, open = "" } = route.value.params
  const task = asked === undefined && open.startsWith("task:") ? open.slice("task:".length) : null
  const opened = useAnswer<TaskView>(task === null ? null : address("task", { id: task }))
  const shown = useRef<string | undefined>(undefined)
  // If the URL names no plan, the open task's plan is shown, else the plan shown before, else the plan of the Now view.
  const plan = asked ?? opened.value?.plan?.id ?? shown.current ?? now.value?.plan?.id
  const isLookedUp = [opened, now].some(({ value, isLoading }) => value === undefined && isLoading)
  if (plan === undefined && isLookedUp) return <NotLoaded error={null} />
  return (
    <Loaded answer={answer}>
      {(plans) => {
        const id = plan ?? plans.items[0]?.id
        shown.current = id
        if (id !== undefined) return <Plan plans={plans} id={id} />
        return (
          <Empty title="No plan yet">
            Ask your agent to plan a piece of work. A plan has phases and tasks, and they appear here as a
            board.
          </Empty>
        )
      }}
    </Loaded>
  )
}

function Plan({ plans, id }: { plans: PlansView; id: string }) {
  const answer = useAnswer<PlanView>(address("plan", { id }))
  const { as = "board", find = "" } = route.value.params
  const options = plans.items.map(({ id: each, title, isOpen, tasks }): readonly [string, string] => [
    each,
    `${title} (${isOpen ? `${tasks.done} of ${tasks.all}` : "over"})`,
  ])
  const isListed = options.some(([each]) => each === id)
  return (
    <>
      <div class="toolbar">
        <Select
          label="Plan"
          class="wide"
          param="plan"
          resets="open"
          value={id}
          options={isListed ? options : [[id, answer.value?.plan.title ?? "…"], ...options]}
        />
        <SearchField label="Find a task" param="find" />
        <Choices label="Show as" class="segments" param="as" value={as} options={SHOWN_AS} />
      </div>
      <Loaded answer={answer}>
        {(view) => (
          <>
            <p class="meta plan-line">
              <Badge is={view.plan.status} />
              <Progress tasks={view.plan.tasks} />
              {view.plan.branch !== null && <span>on {view.plan.branch}</span>}
              <a href={linkTo("timeline", { record: view.plan.id })}>Its timeline</a>
            </p>
            <Tasks view={view} as={as} find={find} />
            <Notes plan={view.plan} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Tasks({ view, as, find }: { view: PlanView; as: string; find: string }) {
  const tasks = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/)
    return view.tasks.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
  }, [view.tasks, find])
  if (view.tasks.length === 0)
    return <Empty title="This plan has no tasks yet">The agent adds them when it plans the work.</Empty>
  if (tasks.length === 0)
    return <Empty title="No task has these words">Remove a word to see more tasks.</Empty>
  return as === "graph" ? <PlanGraph tasks={tasks} edges={view.edges} /> : <Board tasks={tasks} />
}

function Notes({ plan: { record, files, mems, refusals, spent } }: Pick<PlanView, "plan">) {
  return (
    <div class="notes">
      <ItemList fold="open" title="Done when" of={record.acceptance} row={(each) => each} />
      {spent !== null && <p class="quiet">{spentText(spent)}</p>}
      <ItemList
        fold="closed"
        title="Mems learned"
        of={mems}
        row={({ id, content }) => <RecordLink kind="mem" id={id} title={content} />}
      />
      <ItemList fold="closed" title="Files written" class="files" of={files} row={(file) => file} />
      <ItemList
        fold="closed"
        title="Refused"
        of={refusals}
        row={(refusal) => <Refusal refusal={refusal} />}
      />
    </div>
  )
}

const SHOWN_AS = [
  ["board", "Board"],
  ["graph", "Graph"],
] as const

function Board({ tasks }: { tasks: readonly TaskRow[] }) {
  return (
    <div class="board">
      {COLUMNS.map(({ title, holds }) => (
        <Column
          key={`${tasks[0]?.plan?.id} ${title}`}
          title={title}
          isMixed={holds.length > 1}
          tasks={tasks.filter(({ status }) => holds.includes(status))}
        />
      ))}
    </div>
  )
}

/** A column of the board. If it has tasks of several statuses (`isMixed`), each card shows its status. */
function Column({ title, tasks, isMixed }: { title: string; tasks: readonly TaskRow[]; isMixed: boolean }) {
  const [shown, setShown] = useState(PAGE)
  return (
    <section
      class={tasks.length === 0 ? "column is-empty" : "column"}
      aria-label={`${title}: ${tasks.length}`}
    >
      <h2>
        {title} <span class="quiet number">{amount(tasks.length)}</span>
      </h2>
      <List
        label={title}
        items={tasks.slice(0, shown)}
        keyOf={({ id }) => id}
        row={(task) => <TaskCard task={task} isMixed={isMixed} />}
      />
      <ShowMore more={tasks.length - shown} onClick={() => setShown(shown + PAGE)} />
    </section>
  )
}

function TaskCard({ task, isMixed }: { task: TaskRow; isMixed: boolean }) {
  const { id, title, status, phase, waits, held_by, assigned_to, updated_at } = task
  return (
    <button type="button" class="task-card" onClick={() => openSheet(`task:${id}`)}>
      <span class="task-title">{title}</span>
      <span class="task-note quiet">{waits ?? phase ?? assigned_to ?? held_by ?? ""}</span>
      <span class="meta">
        {isMixed && <Badge is={status} />}
        <Time at={updated_at} />
      </span>
    </button>
  )
}

const COLUMNS: { title: string; holds: TaskRow["status"][] }[] = [
  { title: "Planned", holds: ["planned"] },
  { title: "Blocked", holds: ["blocked"] },
  { title: "At work", holds: ["active", "review"] },
  { title: "Done", holds: ["completed"] },
  { title: "Given up", holds: ["failed", "invalidated"] },
]
const PAGE = 100
