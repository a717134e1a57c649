import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { PlanView, TaskRow } from "../../answers/model.ts"
import { route } from "../data/route.ts"
import { amount } from "../parts/format.tsx"
import { toneOf } from "../parts/records.tsx"
import { openSheet } from "../parts/sheet.tsx"
import { type GraphLayout, graphLayout, MAX_TASKS_DRAWN, nearestTasks } from "./graph-layout.ts"

type LaidOutTask = GraphLayout["nodes"][number]

/** The dependencies between tasks as boxes and arrows. Of a large plan, those nearest to one task. */
export function PlanGraph({ tasks, edges }: { tasks: readonly TaskRow[]; edges: PlanView["edges"] }) {
  const open = route.value.params["open"] ?? ""
  const chosen = open.startsWith("task:") ? open.slice("task:".length) : null
  const drawn = useMemo(() => nearestTasks(tasks, edges, chosen), [tasks, edges, chosen])
  // The layout depends on the tasks and their links, not on their status: a change of status moves nothing.
  const shape = `${drawn.tasks.map(({ id }) => id).join()} ${drawn.edges.map(({ from, to }) => from + to).join()}`
  const layout = useMemo(() => graphLayout(drawn.tasks, drawn.edges, availableSize()), [shape])
  return (
    <figure class="graph">
      <Drawing tasks={drawn.tasks} layout={layout} chosen={chosen} />
      <figcaption class="quiet">
        {drawn.centre === null
          ? "An arrow leads from a task to those that depend on it. Arrow keys go from task to task, Enter opens one."
          : `${amount(drawn.tasks.length)} of ${amount(tasks.length)} tasks: those nearest to “${drawn.centre}”. More than ${MAX_TASKS_DRAWN} are not drawn at once; open another task to see what is around it.`}
      </figcaption>
    </figure>
  )
}

interface Drawn {
  tasks: readonly TaskRow[]
  layout: GraphLayout
  chosen: string | null
}

/** The drawing in a box that scrolls, as large as fits, but never too small to read. */
function Drawing({ tasks, layout, chosen }: Drawn) {
  const box = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<string | null>(null)
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const stop = layout.nodes.find(({ id }) => id === (current ?? chosen)) ?? layout.nodes[0]
  const scale = useMemo(() => {
    const { width, height } = availableSize()
    const fit = Math.min(width / layout.width, height / layout.height, MAX_SCALE)
    return Math.max(fit, READABLE_SCALE)
  }, [layout])

  useLayoutEffect(() => {
    box.current?.querySelector(".is-chosen")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [layout, chosen])

  const onKeyDown = (event: KeyboardEvent) => {
    if (stop === undefined) return
    if (event.key === "Enter" || event.key === " ") openSheet(`task:${stop.id}`)
    else {
      const next = nearestInDirection(layout.nodes, stop, event.key)
      if (next === undefined) return
      setCurrent(next.id)
      box.current?.querySelector<SVGElement>(`[data-key="${CSS.escape(next.id)}"]`)?.focus()
    }
    event.preventDefault()
  }
  return (
    <div class="diagram" ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no fieldset */}
      <svg
        width={layout.width * scale}
        height={layout.height * scale}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        role="group"
        aria-label={`Dependencies of ${amount(tasks.length)} tasks`}
        onKeyDown={onKeyDown}
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
        {layout.lines.map(({ id, points, isDashed }) => (
          <path
            key={id}
            class={isDashed ? "edge is-part" : "edge"}
            d={curvedPath(points, layout.isDown)}
            marker-end="url(#arrow)"
          />
        ))}
        {layout.nodes.map((node) => (
          <TaskBox
            key={node.id}
            node={node}
            task={byId.get(node.id)}
            isChosen={node.id === chosen}
            isTabStop={node.id === stop?.id}
            onFocus={() => setCurrent(node.id)}
          />
        ))}
      </svg>
    </div>
  )
}

interface Boxed {
  node: LaidOutTask
  task: TaskRow | undefined
  isChosen: boolean
  isTabStop: boolean
  onFocus(): void
}

function TaskBox({ node, task, isChosen, isTabStop, onFocus }: Boxed) {
  const status = task?.status ?? "planned"
  const title = task?.title ?? ""
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no button
    <g
      class={`node tone-${toneOf(status)} ${isChosen ? "is-chosen" : ""}`}
      transform={`translate(${node.x} ${node.y})`}
      role="button"
      aria-label={`${title}. ${STATUS_TEXT[status]}`}
      tabIndex={isTabStop ? 0 : -1}
      data-key={node.id}
      onFocus={onFocus}
      onClick={() => openSheet(`task:${node.id}`)}
    >
      <rect width={node.width} height={node.height} rx="8" />
      <rect class="node-edge" width="4" height={node.height - 16} x="6" y="8" rx="2" />
      <foreignObject x="18" y="4" width={node.width - 26} height={node.height - 8}>
        <div class="node-text">
          <span class="node-title">{title}</span>
          <span class="node-note">{STATUS_TEXT[status]}</span>
        </div>
      </foreignObject>
    </g>
  )
}

/** Curves from point to point that leave and arrive straight. */
function curvedPath(points: readonly { x: number; y: number }[], isDown: boolean): string {
  const [first, ...rest] = points
  if (first === undefined) return ""
  const parts = rest.map((point, at) => {
    const from = points[at] ?? first
    if (isDown) {
      const middle = (from.y + point.y) / 2
      return `C${from.x} ${middle} ${point.x} ${middle} ${point.x} ${point.y}`
    }
    const middle = (from.x + point.x) / 2
    return `C${middle} ${from.y} ${middle} ${point.y} ${point.x} ${point.y}`
  })
  return `M${first.x} ${first.y}${parts.join("")}`
}

/** The next task in the direction of an arrow key. Distance to the side counts double. */
function nearestInDirection(
  nodes: readonly LaidOutTask[],
  from: LaidOutTask,
  key: string,
): LaidOutTask | undefined {
  const [x, y] = DIRECTIONS[key] ?? [0, 0]
  if (x === 0 && y === 0) return undefined
  const ahead = nodes.flatMap((node) => {
    const [dx, dy] = [node.x - from.x, node.y - from.y]
    const distance = dx * x + dy * y
    return distance <= 1 ? [] : [{ node, cost: distance + 2 * Math.abs(dx * y + dy * x) }]
  })
  return ahead.sort((a, b) => a.cost - b.cost)[0]?.node
}

/** Roughly the space that the page leaves for the drawing. */
function availableSize(): { width: number; height: number } {
  const aside = innerWidth > 832 ? 280 : 32
  return { width: innerWidth - aside, height: Math.max(320, innerHeight - 270) }
}

const STATUS_TEXT: Record<TaskRow["status"], string> = {
  planned: "○ Planned",
  blocked: "⊖ Blocked",
  active: "▶ At work",
  review: "◉ In review",
  completed: "✓ Done",
  failed: "✕ Failed",
  invalidated: "✕ Taken back",
}
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
}
// Below this scale the letters are too small to read.
const READABLE_SCALE = 0.78
const MAX_SCALE = 1.1
