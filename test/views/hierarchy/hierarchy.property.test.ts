import fc from "fast-check"
import { expect, it } from "vitest"
import { isOpenTask } from "../../../src/graph/lifecycle.ts"
import type { Phase, Plan } from "../../../src/schemas/plan.ts"
import { task as taskSchema } from "../../../src/schemas/task.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { nearestNodes, renderTree } from "../../../src/views/hierarchy/render.ts"
import { foldable, treeOf } from "../../../src/views/hierarchy/tree.ts"
import { defined } from "../../support/defined.ts"
import { graphOf } from "../../support/graph.ts"
import { aPhase } from "../../support/records.ts"

const some = fc.nat(30)
const title = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom("Build login", "登录页面", "\u001b[2J\n\u202ex", "🚀"),
)
const status = fc.constantFrom(...taskSchema.shape.status.options)
const graph = fc.record({
  plans: fc.array(fc.constantFrom<Plan["status"]>("draft", "active", "completed", "archived", "abandoned"), {
    maxLength: 4,
  }),
  phases: fc.array(some, { maxLength: 6 }),
  tasks: fc.array(
    fc.record({
      title,
      phase: some,
      status,
      parent: fc.option(some, { nil: undefined }),
      hours: fc.double({ min: 0, max: 9, noNaN: true }),
    }),
    { maxLength: 25 },
  ),
  stands: fc.record({ plan: fc.option(some), phase: fc.option(some), task: fc.option(some) }),
  folds: fc.boolean(),
  limit: fc.nat(40),
  width: fc.integer({ min: 80, max: 120 }),
})

it("renders any graph: open work is shown or counted, lines keep their width, the read-head is shown once", () => {
  fc.assert(
    fc.property(graph, ({ plans, phases, tasks, stands, folds, limit, width }) => {
      const g = graphOf()
      const made = plans.map((status, n) => g.plan(`Plan ${n}`, { status }))
      const at = <T>(list: T[], n: number | null | undefined) =>
        n === null || n === undefined || list.length === 0 ? undefined : list[n % list.length]
      const inPlans = phases.flatMap((n) => {
        const plan = at(made, n)
        return plan === undefined ? [] : [g.phase(plan, `Phase ${n}`, { order: n })]
      })
      const home = (n: number): Phase =>
        // Sometimes a phase, and its plan, that are not there.
        defined(at([...inPlans, aPhase(0, 0, { id: "lost", parent_plan_id: "lost" })], n))
      const inPhases = tasks.map(({ title: words, phase, status, hours }) =>
        g.task(home(phase), words, { status, created_at: g.at(hours) }),
      )
      // Any task may be the parent of any other, circles included.
      tasks.forEach(({ parent }, n) => {
        const task = defined(inPhases[n])
        g.state.task.set(task.id, { ...task, parent_task_id: at(inPhases, parent)?.id ?? null })
      })
      if (folds) {
        for (const { kind, id, summary } of foldable(g.state)) {
          if (kind === "plan") g.state.plan.set(id, { ...defined(g.state.plan.get(id)), summary })
          else g.state.phase.set(id, { ...defined(g.state.phase.get(id)), summary })
        }
        expect(foldable(g.state)).toEqual([])
      }
      const task = at(inPhases, stands.task)
      const head = g.head("x", at(made, stands.plan), at(inPlans, stands.phase), ...(task ? [task] : []))

      const tree = treeOf(g.state, head)
      const shownNodes = Math.max(limit, tree.path.length)
      const lines = renderTree(tree, { width, limit: shownNodes })
      const open = [...g.state.task.values()].filter(isOpenTask).length
      const shown = runToEnd(nearestNodes(tree, shownNodes)).map(({ node }) => node)
      expect(lines.filter((line) => !/^[ │└─]*…/.test(line))).toHaveLength(shown.length)
      const openShown = shown.filter(({ id }) => isOpenTask(g.state.task.get(id))).length
      expect(openShown + openInHidden(lines)).toBe(open)
      for (const line of lines) {
        expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
        expect(line.length).toBeLessThanOrEqual(width)
      }
      const stood = head.active_plan_id ?? head.active_phase_id ?? head.active_task_ids[0]
      expect(lines.filter((line) => line.includes("◀ here"))).toHaveLength(stood === undefined ? 0 : 1)
    }),
    { numRuns: 400, seed: 7 },
  )
})

function openInHidden(lines: string[]): number {
  return lines.reduce((sum, line) => sum + Number(/… .*tasks?, (\d+) open/.exec(line)?.[1] ?? 0), 0)
}
