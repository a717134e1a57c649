import { Graph, layout } from "@dagrejs/dagre"
import type { PlanView, TaskRow } from "../../answers/model.ts"

interface Placed {
  width: number
  height: number
  nodes: { id: string; x: number; y: number; width: number; height: number }[]
  lines: { id: string; points: { x: number; y: number }[]; isDashed: boolean }[]
}

/** Where each task stands: what is linked from left to right, what is linked with nothing in rows below it. */
export function layOut(tasks: readonly TaskRow[], edges: PlanView["edges"]): Placed {
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const graph = new Graph({ multigraph: false })
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 44, marginx: MARGIN, marginy: MARGIN })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of tasks) if (linked.has(id)) graph.setNode(id, { width: WIDTH, height: HEIGHT })
  for (const { from, to, why } of edges) graph.setEdge(from, to, { why })
  if (linked.size > 0) layout(graph)
  const size = linked.size > 0 ? graph.graph() : {}
  const nodes = graph.nodes().map((id: string) => {
    const { x, y } = graph.node(id)
    return { id, x: x - WIDTH / 2, y: y - HEIGHT / 2, width: WIDTH, height: HEIGHT }
  })
  const lines = graph.edges().map((edge: { v: string; w: string }) => {
    const { points = [], why } = graph.edge(edge)
    const [from, to] = [graph.node(edge.v), graph.node(edge.w)]
    // Its own ends are at corners; what lies between leads around tasks that stand in the way.
    const around = points.length > 3 ? points.slice(1, -1) : []
    const ends = [
      { x: from.x + WIDTH / 2, y: from.y },
      { x: to.x - WIDTH / 2, y: to.y },
    ] as const
    return { id: `${edge.v} ${edge.w}`, points: [ends[0], ...around, ends[1]], isDashed: why === "part" }
  })
  const alone = inRows(
    tasks.filter(({ id }) => !linked.has(id)),
    size.width ?? 0,
    size.height ?? MARGIN,
  )
  return {
    width: Math.max(size.width ?? 0, alone.width),
    height: alone.nodes.length > 0 ? alone.height : (size.height ?? 0),
    nodes: [...nodes, ...alone.nodes],
    lines,
  }
}

function inRows(tasks: readonly TaskRow[], wide: number, top: number): Omit<Placed, "lines"> {
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

const WIDTH = 212
const HEIGHT = 76
const GAP = 18
const MARGIN = 24
