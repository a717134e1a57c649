import { useMemo, useRef } from "preact/hooks"
import type { NowView, PlansView, PlanView, TaskView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { choose, linkTo, route } from "../data/route.ts"
import { Choices, SearchField, Select } from "../parts/forms.tsx"
import { Empty, ItemList, Loaded, NotLoaded } from "../parts/layout.tsx"
import { Badge, Progress, RecordLink, Refusal, spentText } from "../parts/records.tsx"
import { Board } from "./board.tsx"
import { PlanGraph } from "./plan-graph.tsx"

/** One plan at a time, as a board or as a graph. */
export function Plans() {
  const answer = useAnswer<PlansView>(address("plans"))
  const now = useAnswer<NowView>(address("now"))
  const { plan: asked, open = "" } = route.value.params
  const task = asked === undefined && open.startsWith("task:") ? open.slice("task:".length) : null
  const opened = useAnswer<TaskView>(task === null ? null : address("task", { id: task }))
  const shown = useRef<string | undefined>(undefined)
  // The plan of an open task comes first, then the one on the screen, then that of Now: nothing jumps.
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
          value={id}
          options={isListed ? options : [[id, answer.value?.plan.title ?? "…"], ...options]}
          onChoose={(chosen) => choose({ plan: chosen, open: null })}
        />
        <SearchField
          label="Find a task"
          value={find}
          onFind={(words) => choose({ find: words }, { replace: true })}
        />
        <Choices
          label="Show as"
          class="segments"
          value={as}
          options={SHOWN_AS}
          onChoose={(chosen) => choose({ as: chosen })}
        />
      </div>
      <Loaded answer={answer}>
        {(view) => (
          <>
            <p class="meta plan-line">
              <Badge is={view.plan.status} />
              <Progress tasks={view.plan.tasks} />
              {view.plan.branch !== null && <span>on {view.plan.branch}</span>}
              <a href={linkTo("timeline", { record: view.plan.id })}>Its story</a>
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
    return (
      <Empty title="This plan has no tasks yet">Its agent adds them when it starts to plan the work.</Empty>
    )
  if (tasks.length === 0) return <Empty title="No task has these words">Take a word away to see more.</Empty>
  return as === "graph" ? <PlanGraph tasks={tasks} edges={view.edges} /> : <Board tasks={tasks} />
}

/** The plan's acceptance criteria, cost and results. */
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
