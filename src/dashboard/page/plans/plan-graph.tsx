import { Graph, layout as place } from "@dagrejs/dagre"
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { PlanView, TaskRow } from "../../answers/model.ts"
import { route } from "../data/route.ts"
import { amount } from "../parts/format.tsx"
import { Empty } from "../parts/layout.tsx"
import { toneOf } from "../parts/records.tsx"
import { openSheet } from "../parts/sheet.tsx"

export function PlanGraph({ tasks, edges }: Pick<PlanView, "tasks" | "edges">) {
  const box = useRef<HTMLDivElement>(null)
  const chosen = route.value.params["open"]?.replace(/^task:/, "")
  const linked = tasks.filter(({ id }) => edges.some(({ from, to }) => from === id || to === id))
  const drawn = linked.slice(0, MAX_TASKS_DRAWN)
  // The layout is computed again only if tasks or links change, so a task does not move when its status changes.
  const shape = `${drawn.map(({ id }) => id).join()} ${edges.map(({ from, to }) => from + to).join()}`
  const layout = useMemo(() => layOut(drawn, edges), [shape])
  useLayoutEffect(() => {
    box.current?.querySelector(".is-chosen")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [layout, chosen])
  if (drawn.length === 0)
    return <Empty title="No task depends on another">The board shows all tasks of the plan.</Empty>
  return (
    <figure class="graph">
      <div class="diagram" ref={box}>
        {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no fieldset */}
        <svg
          viewBox={`0 0 ${layout.width} ${layout.height}`}
          width={layout.width}
          style={{ minWidth: layout.width * READABLE_SCALE }}
          role="group"
          aria-label={`Dependencies of ${amount(drawn.length)} tasks`}
        >
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0.5L7.5 4L0 7.5z" />
            </marker>
          </defs>
          {layout.lines.map(({ id, path, isPart }) => (
            <path key={id} class={isPart ? "edge is-part" : "edge"} d={path} marker-end="url(#arrow)" />
          ))}
          {drawn.map((task) => (
            <TaskBox
              key={task.id}
              task={task}
              at={layout.places.get(task.id) ?? { x: 0, y: 0 }}
              isChosen={task.id === chosen}
            />
          ))}
        </svg>
      </div>
      <figcaption class="quiet">
        An arrow leads from a task to the tasks that depend on it.{" "}
        {linked.length > drawn.length &&
          `The graph shows ${amount(drawn.length)} of ${amount(linked.length)} linked tasks; search to see others. `}
        {tasks.length > linked.length &&
          `${amount(tasks.length - linked.length)} tasks without a link are on the board.`}
      </figcaption>
    </figure>
  )
}

function TaskBox({ task, at, isChosen }: { task: TaskRow; at: Point; isChosen: boolean }) {
  const { id, title, status } = task
  const open = () => openSheet(`task:${id}`)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no button
    <g
      class={`node tone-${toneOf(status)} ${isChosen ? "is-chosen" : ""}`}
      transform={`translate(${at.x - WIDTH / 2} ${at.y - HEIGHT / 2})`}
      role="button"
      aria-label={`${title}. ${STATUS_TEXT[status]}`}
      tabindex={0}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === "Enter") open()
      }}
    >
      <rect width={WIDTH} height={HEIGHT} rx="8" />
      <rect class="node-edge" width="4" height={HEIGHT - 16} x="6" y="8" rx="2" />
      <foreignObject x="18" y="4" width={WIDTH - 26} height={HEIGHT - 8}>
        <div class="node-text">
          <span class="node-title">{title}</span>
          <span class="node-note">{STATUS_TEXT[status]}</span>
        </div>
      </foreignObject>
    </g>
  )
}

interface Point {
  x: number
  y: number
}

function layOut(tasks: readonly TaskRow[], edges: PlanView["edges"]) {
  const isDown = innerWidth < NARROW_PX
  const graph = new Graph({ multigraph: false })
  graph.setGraph({ rankdir: isDown ? "TB" : "LR", ranksep: 44, nodesep: 18, marginx: 24, marginy: 24 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of tasks) graph.setNode(id, { width: WIDTH, height: HEIGHT })
  for (const { from, to, why } of edges)
    if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to, { why })
  place(graph)
  const { width = 0, height = 0 } = graph.graph()
  const lines: { id: string; path: string; isPart: boolean }[] = graph
    .edges()
    .map((edge: { v: string; w: string }) => {
      const { points = [], why } = graph.edge(edge)
      const [from, to] = [graph.node(edge.v), graph.node(edge.w)]
      // Dagre's first and last points are dropped, because a line starts and ends at the middle of a box's side.
      const around = points.length > 3 ? points.slice(1, -1) : []
      const [aside, below] = isDown ? [0, HEIGHT / 2] : [WIDTH / 2, 0]
      const start = { x: from.x + aside, y: from.y + below }
      const path = curvedPath([start, ...around, { x: to.x - aside, y: to.y - below }], isDown)
      return { id: `${edge.v} ${edge.w}`, path, isPart: why === "part" }
    })
  // The centre of each task's box.
  const places = new Map<string, Point>(graph.nodes().map((id: string) => [id, graph.node(id)]))
  return { width, height, places, lines }
}

/** An SVG path of curves through the points. Each curve leaves and arrives in the direction of the graph. */
function curvedPath(points: readonly Point[], isDown: boolean): string {
  return points
    .map(({ x, y }, at) => {
      const from = points[at - 1]
      if (from === undefined) return `M${x} ${y}`
      const [middleX, middleY] = [(from.x + x) / 2, (from.y + y) / 2]
      return isDown
        ? `C${from.x} ${middleY} ${x} ${middleY} ${x} ${y}`
        : `C${middleX} ${from.y} ${middleX} ${y} ${x} ${y}`
    })
    .join("")
}

const STATUS_TEXT: Record<TaskRow["status"], string> = {
  planned: "○ Planned",
  blocked: "⊖ Blocked",
  active: "▶ At work",
  review: "◉ In review",
  completed: "✓ Done",
  failed: "✕ Failed",
  invalidated: "✕ Withdrawn",
}
/** The layout of a larger graph would be slow. */
const MAX_TASKS_DRAWN = 300
const WIDTH = 212
const HEIGHT = 76
const NARROW_PX = 832
/** The smallest scale at which the text can be read. A larger graph scrolls. */
const READABLE_SCALE = 0.78
