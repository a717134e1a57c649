import { useMemo, useRef } from "preact/hooks"
import type { NowView, PlansView, PlanView, TaskView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { choose, linkTo, project, route } from "../data/route.ts"
import { Badge } from "../parts/badge.tsx"
import { Empty, Loaded } from "../parts/empty.tsx"
import { Progress } from "../parts/progress.tsx"
import { SearchField } from "../parts/search-field.tsx"
import { Board } from "./board.tsx"
import { PlanGraph } from "./plan-graph.tsx"
import { PlanNotes } from "./plan-notes.tsx"

/** One plan at a time, as a board or as a graph. */
export function Plans() {
  const answer = useAnswer<PlansView>(address("plans"))
  const now = useAnswer<NowView>(address("now"))
  const { plan: asked, open = "" } = route.value.params
  const task = asked === undefined && open.startsWith("task:") ? open.slice("task:".length) : null
  const opened = useAnswer<TaskView>(task === null ? null : address("task", { id: task }))
  const shown = useRef({ of: project.value, plan: undefined as string | undefined })
  if (shown.current.of !== project.value) shown.current = { of: project.value, plan: undefined }
  // What is open stands in front of its own plan; else that of Now is shown, and stays: nothing jumps.
  const plan = asked ?? opened.value?.plan?.id ?? shown.current.plan ?? now.value?.plan?.id
  const isLookedUp = [opened, now].some(({ value, isLoading }) => value === undefined && isLoading)
  if (plan === undefined && isLookedUp) return <p class="quiet loading">Loading…</p>
  return (
    <Loaded answer={answer}>
      {(plans) => {
        const id = plan ?? plans.items[0]?.id
        shown.current.plan = id
        if (id === undefined) {
          return (
            <Empty title="No plan yet">
              Ask your agent to plan a piece of work. A plan has phases and tasks, and they appear here as a
              board.
            </Empty>
          )
        }
        return <Chosen plans={plans} id={id} />
      }}
    </Loaded>
  )
}

function Chosen({ plans, id }: { plans: PlansView; id: string }) {
  const answer = useAnswer<PlanView>(address("plan", { id }))
  const { as = "board", find = "" } = route.value.params
  return (
    <>
      <div class="toolbar">
        <select
          aria-label="Plan"
          class="wide"
          value={id}
          onChange={(event) => choose({ plan: event.currentTarget.value, open: null })}
        >
          {plans.items.every((each) => each.id !== id) && (
            <option value={id}>{answer.value?.plan.title ?? "…"}</option>
          )}
          {plans.items.map(({ id: each, title, isOpen, tasks }) => (
            <option key={each} value={each}>
              {title} ({isOpen ? `${tasks.done} of ${tasks.all}` : "over"})
            </option>
          ))}
        </select>
        <SearchField
          label="Find a task"
          value={find}
          onFind={(words) => choose({ find: words }, { replace: true })}
        />
        <fieldset class="segments">
          <legend class="unseen">Show as</legend>
          {(["board", "graph"] as const).map((each) => (
            <button key={each} type="button" aria-pressed={as === each} onClick={() => choose({ as: each })}>
              {each === "board" ? "Board" : "Graph"}
            </button>
          ))}
        </fieldset>
      </div>
      <Loaded answer={answer}>
        {(view) => (
          <>
            <p class="meta plan-line">
              <Badge is={view.plan.status} />
              <Progress done={view.plan.tasks.done} all={view.plan.tasks.all} />
              {view.plan.branch !== null && <span>on {view.plan.branch}</span>}
              <a href={linkTo("timeline", { record: view.plan.id })}>Its story</a>
            </p>
            <Shown view={view} as={as} find={find} />
            <PlanNotes plan={view.plan} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Shown({ view, as, find }: { view: PlanView; as: string; find: string }) {
  const tasks = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/)
    return view.tasks.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
  }, [view.tasks, find])
  if (view.tasks.length === 0) {
    return (
      <Empty title="This plan has no tasks yet">Its agent adds them when it starts to plan the work.</Empty>
    )
  }
  if (tasks.length === 0) return <Empty title="No task has these words">Take a word away to see more.</Empty>
  return as === "graph" ? <PlanGraph tasks={tasks} edges={view.edges} /> : <Board tasks={tasks} />
}
