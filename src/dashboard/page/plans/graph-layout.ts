import { Graph, layout } from "@dagrejs/dagre"
import type { PlanView, TaskRow } from "../../answers/model.ts"

export interface GraphLayout {
  width: number
  height: number
  nodes: { id: string; x: number; y: number; width: number; height: number }[]
  lines: { id: string; points: { x: number; y: number }[]; isDashed: boolean }[]
  /** Laid out from top to bottom, not from left to right. */
  isDown: boolean
}

/**
 * Positions of tasks and arrows: linked tasks from left to right, or from top to bottom where that is easier to read on
 * this screen; tasks without links in rows below them.
 */
export function graphLayout(
  tasks: readonly TaskRow[],
  edges: PlanView["edges"],
  screen: { width: number; height: number },
): GraphLayout {
  const across = layOutLinked(tasks, edges, false)
  const scaleOf = ({ width, height }: GraphLayout) => Math.min(screen.width / width, screen.height / height)
  // A long chain would be a thin line of small letters.
  const down =
    across.nodes.length > 0 && scaleOf(across) < READABLE ? layOutLinked(tasks, edges, true) : across
  const linked = scaleOf(down) > scaleOf(across) * CLEARLY ? down : across
  const there = new Set(linked.nodes.map(({ id }) => id))
  const alone = layOutInRows(
    tasks.filter(({ id }) => !there.has(id)),
    linked.width,
    Math.max(linked.height, MARGIN),
  )
  return {
    ...linked,
    width: Math.max(linked.width, alone.width),
    height: alone.nodes.length > 0 ? alone.height : linked.height,
    nodes: [...linked.nodes, ...alone.nodes],
  }
}

function layOutLinked(tasks: readonly TaskRow[], edges: PlanView["edges"], isDown: boolean): GraphLayout {
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]))
  if (linked.size === 0) return { width: 0, height: 0, nodes: [], lines: [], isDown }
  const graph = new Graph({ multigraph: false })
  const ranks = isDown ? { rankdir: "TB" as const, ranksep: 32 } : { rankdir: "LR" as const, ranksep: 44 }
  graph.setGraph({ ...ranks, nodesep: 18, marginx: MARGIN, marginy: MARGIN })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of tasks) if (linked.has(id)) graph.setNode(id, { width: WIDTH, height: HEIGHT })
  for (const { from, to, why } of edges) graph.setEdge(from, to, { why })
  layout(graph)
  const size = graph.graph()
  const nodes = graph.nodes().map((id: string) => {
    const { x, y } = graph.node(id)
    return { id, x: x - WIDTH / 2, y: y - HEIGHT / 2, width: WIDTH, height: HEIGHT }
  })
  const lines = graph.edges().map((edge: { v: string; w: string }) => {
    const { points = [], why } = graph.edge(edge)
    const [from, to] = [graph.node(edge.v), graph.node(edge.w)]
    // Its own ends are at corners; what lies between leads around tasks that stand in the way.
    const around = points.length > 3 ? points.slice(1, -1) : []
    const [aside, below] = isDown ? [0, HEIGHT / 2] : [WIDTH / 2, 0]
    const ends = [
      { x: from.x + aside, y: from.y + below },
      { x: to.x - aside, y: to.y - below },
    ] as const
    return { id: `${edge.v} ${edge.w}`, points: [ends[0], ...around, ends[1]], isDashed: why === "part" }
  })
  return { width: size.width ?? 0, height: size.height ?? 0, nodes, lines, isDown }
}

function layOutInRows(
  tasks: readonly TaskRow[],
  wide: number,
  top: number,
): Pick<GraphLayout, "nodes" | "width" | "height"> {
  const fits = Math.floor((wide - MARGIN) / (WIDTH + GAP))
  const perRow = Math.max(fits, 3, Math.ceil(Math.sqrt(tasks.length)))
  const nodes = tasks.map(({ id }, at) => ({
    id,
    x: MARGIN + (at % perRow) * (WIDTH + GAP),
    y: top + Math.floor(at / perRow) * (HEIGHT + GAP),
    width: WIDTH,
    height: HEIGHT,
  }))
  const rows = Math.ceil(tasks.length / perRow)
  return {
    nodes,
    width: MARGIN * 2 + Math.min(tasks.length, perRow) * (WIDTH + GAP),
    height: top + rows * (HEIGHT + GAP) + MARGIN,
  }
}

type Edge = PlanView["edges"][number]

/** The tasks of a plan that are drawn: all, or in a large plan those nearest to `chosen` or to the task at work. */
export function nearestTasks(tasks: readonly TaskRow[], edges: readonly Edge[], chosen: string | null) {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const inside = (ids: ReadonlySet<string>) => edges.filter(({ from, to }) => ids.has(from) && ids.has(to))
  if (tasks.length <= MAX_TASKS_DRAWN) return { tasks, edges: inside(new Set(byId.keys())), centre: null }
  const neighbours = new Map<string, string[]>(tasks.map(({ id }) => [id, []]))
  for (const { from, to } of inside(new Set(byId.keys()))) {
    neighbours.get(from)?.push(to)
    neighbours.get(to)?.push(from)
  }
  const start =
    byId.get(chosen ?? "") ??
    tasks.find(({ status }) => status === "active" || status === "review") ??
    tasks.find(({ id, status }) => status === "blocked" && neighbours.get(id)?.length !== 0) ??
    tasks[0]
  if (start === undefined) return { tasks, edges: [], centre: null }
  const near = new Set([start.id])
  for (const id of near)
    for (const next of neighbours.get(id) ?? []) if (near.size < MAX_NEIGHBOURS) near.add(next)
  const drawn = [...near].flatMap((id) => byId.get(id) ?? [])
  return { tasks: drawn, edges: inside(near), centre: start.title }
}

/** A plan with more tasks is drawn in part. */
export const MAX_TASKS_DRAWN = 300
const MAX_NEIGHBOURS = 120
const WIDTH = 212
const HEIGHT = 76
const GAP = 18
const MARGIN = 24
// Below this scale letters are too small.
const READABLE = 0.78
// One that is hardly better does not turn the drawing around.
const CLEARLY = 1.25
