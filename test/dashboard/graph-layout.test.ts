import { expect, it } from "vitest"
import { graphLayout } from "../../src/dashboard/page/plans/graph-layout.ts"
import * as story from "./page-story.ts"

const SCREEN = { width: 1000, height: 530 }

it("a long chain goes down where it would be too small across; a wide plan stays from left to right", () => {
  const chain = story.tasks.slice(0, 7)
  const edges = chain
    .slice(1)
    .map(({ id }, at) => ({ from: chain[at]?.id ?? "", to: id, why: "depends_on" as const }))
  const down = graphLayout(chain, edges, { width: 343, height: 530 })
  expect(down.isDown).toBe(true)
  expect(down.nodes.map(({ y }) => y)).toEqual(down.nodes.map(({ y }) => y).toSorted((a, b) => a - b))
  expect(new Set(down.nodes.map(({ x }) => x)).size).toBe(1)
  expect(down.width).toBeLessThan(343)
  // Each arrow leaves below a task and arrives above the next.
  const [first, second] = down.nodes
  expect(down.lines[0]?.points[0]?.y).toBe((first?.y ?? 0) + (first?.height ?? 0))
  expect(down.lines[0]?.points.at(-1)?.y).toBe(second?.y)

  const across = graphLayout(story.tasks, story.planView.edges, SCREEN)
  expect(across.isDown).toBe(false)
  // Two are linked with nothing, and stand below the others.
  expect(across.nodes).toHaveLength(12)
  expect(across.height).toBeGreaterThan(0)
  expect(graphLayout(chain, [], SCREEN)).toMatchObject({ lines: [], nodes: { length: 7 } })
})
