import type { PlanView, TaskRow } from "../../answers/model.ts"
import type { Box } from "../parts/view-box.ts"

export interface MapNode extends Box {
  task: TaskRow
}

export interface PlanMapLayout {
  width: number
  height: number
  nodes: MapNode[]
  lines: { from: MapNode; to: MapNode; isPart: boolean }[]
}

/**
 * Where each of very many tasks stands. What hangs together is one block, from left to right by how much has to be done before;
 * the blocks fill rows, the largest first. It looks at each task and link a few times only: a layout that minds every crossing
 * takes a quarter of a minute for 5,000 tasks.
 */
export function layOutMap(tasks: readonly TaskRow[], edges: PlanView["edges"]): PlanMapLayout {
  const nodes = new Map<string, MapNode>(
    tasks.map((task) => [task.id, { task, x: 0, y: 0, width: WIDTH, height: HEIGHT }]),
  )
  const links = edges.flatMap(({ from, to, why }) => {
    const [first, then] = [nodes.get(from), nodes.get(to)]
    return first === undefined || then === undefined
      ? []
      : [{ from: first, to: then, isPart: why === "part" }]
  })
  const before = new Map<MapNode, MapNode[]>()
  const after = new Map<MapNode, MapNode[]>()
  for (const { from, to } of links) {
    push(after, from, to)
    push(before, to, from)
  }
  const ranks = ranksOf([...nodes.values()], before, after)
  const blocks = blocksOf([...nodes.values()], before, after)
    .map((block) => placeBlock(block, ranks, before))
    .sort((a, b) => b.height - a.height || b.width - a.width)
  return { ...packed(blocks), nodes: [...nodes.values()], lines: links }
}

type Links = ReadonlyMap<MapNode, readonly MapNode[]>
interface Block {
  nodes: readonly MapNode[]
  width: number
  height: number
}

/** How many steps come before a task. */
function ranksOf(nodes: readonly MapNode[], before: Links, after: Links): Map<MapNode, number> {
  const left = new Map(nodes.map((node) => [node, before.get(node)?.length ?? 0]))
  const ranks = new Map(nodes.map((node) => [node, 0]))
  // Grows while it is walked through.
  const free = nodes.filter((node) => left.get(node) === 0)
  for (const node of free) {
    for (const next of after.get(node) ?? []) {
      ranks.set(next, Math.max(ranks.get(next) ?? 0, (ranks.get(node) ?? 0) + 1))
      const waits = (left.get(next) ?? 1) - 1
      left.set(next, waits)
      if (waits === 0) free.push(next)
    }
  }
  return ranks
}

/** What hangs together. */
function blocksOf(nodes: readonly MapNode[], before: Links, after: Links): MapNode[][] {
  const seen = new Set<MapNode>()
  const blocks: MapNode[][] = []
  for (const start of nodes) {
    if (seen.has(start)) continue
    seen.add(start)
    const block = [start]
    for (const node of block) {
      for (const next of [...(before.get(node) ?? []), ...(after.get(node) ?? [])]) {
        if (seen.has(next)) continue
        seen.add(next)
        block.push(next)
      }
    }
    blocks.push(block)
  }
  return blocks
}

/** A column for each rank; in it each task near those that it waits for. */
function placeBlock(nodes: readonly MapNode[], ranks: ReadonlyMap<MapNode, number>, before: Links): Block {
  const columns: MapNode[][] = []
  for (const node of nodes) {
    const rank = ranks.get(node) ?? 0
    const column = columns[rank]
    if (column === undefined) columns[rank] = [node]
    else column.push(node)
  }
  const filled = columns.filter((column) => column !== undefined)
  // What would be far taller than wide goes on beside itself.
  const most = Math.max(8, Math.ceil(Math.sqrt((nodes.length * STEP_X) / STEP_Y / SCREEN_RATIO)))
  const rows = Math.min(most, Math.max(...filled.map((column) => column.length)))
  let x = 0
  for (const column of filled) {
    const wish = new Map(column.map((node) => [node, meanOf(before.get(node) ?? [])]))
    column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0))
    const beside = Math.ceil(column.length / rows)
    const high = Math.ceil(column.length / beside)
    const top = ((rows - high) * STEP_Y) / 2
    // In rows, so that each stays near those that it waits for.
    column.forEach((node, at) => {
      node.x = x + (at % beside) * STEP_X
      node.y = top + Math.floor(at / beside) * STEP_Y
    })
    x += beside * STEP_X
  }
  return { nodes, width: x, height: rows * STEP_Y }
}

/** Blocks in rows, so that the whole is about as wide as a screen is. Each is moved to its place. */
function packed(blocks: readonly Block[]): { width: number; height: number } {
  const area = blocks.reduce((sum, { width, height }) => sum + width * height, 0)
  const wide = Math.max(Math.sqrt(area * SCREEN_RATIO), ...blocks.map(({ width }) => width))
  let [x, y, rowHeight, used] = [0, 0, 0, 0]
  for (const { nodes, width, height } of blocks) {
    if (x > 0 && x + width > wide) {
      y += rowHeight
      x = 0
      rowHeight = 0
    }
    for (const node of nodes) {
      node.x += MARGIN + x
      node.y += MARGIN + y
    }
    x += width
    rowHeight = Math.max(rowHeight, height)
    used = Math.max(used, x)
  }
  return { width: used + 2 * MARGIN, height: y + rowHeight + 2 * MARGIN }
}

function meanOf(nodes: readonly MapNode[]): number {
  return nodes.length === 0 ? 0 : nodes.reduce((sum, { y }) => sum + y, 0) / nodes.length
}

function push(links: Map<MapNode, MapNode[]>, from: MapNode, to: MapNode): void {
  const held = links.get(from)
  if (held === undefined) links.set(from, [to])
  else held.push(to)
}

const WIDTH = 212
const HEIGHT = 76
const STEP_X = WIDTH + 60
const STEP_Y = HEIGHT + 18
const MARGIN = 40
const SCREEN_RATIO = 1.8
