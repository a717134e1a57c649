import type { PlanView, TaskRow } from "../../answers/model.ts"

type Edge = PlanView["edges"][number]

/** What of a large plan is drawn: the tasks nearest to the one that is looked at, and how many stay out. */
export function neighbourhood(tasks: readonly TaskRow[], edges: readonly Edge[], centre: string | null) {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const inside = (ids: ReadonlySet<string>) => edges.filter(({ from, to }) => ids.has(from) && ids.has(to))
  if (tasks.length <= MAX_NODES) return { tasks, edges: inside(new Set(byId.keys())), around: null }
  const beside = new Map<string, string[]>()
  const link = (a: string, b: string) => {
    const held = beside.get(a)
    if (held === undefined) beside.set(a, [b])
    else held.push(b)
  }
  for (const { from, to } of edges) {
    if (!byId.has(from) || !byId.has(to)) continue
    link(from, to)
    link(to, from)
  }
  const start =
    byId.get(centre ?? "") ??
    tasks.find(({ status }) => status === "active" || status === "review") ??
    tasks.find(({ id, status }) => status === "blocked" && beside.has(id)) ??
    tasks[0]
  if (start === undefined) return { tasks, edges: [], around: null }
  const near = new Set([start.id])
  for (const id of near) {
    for (const next of beside.get(id) ?? []) if (near.size < MAX_NEAR) near.add(next)
  }
  const drawn = [...near].flatMap((id) => byId.get(id) ?? [])
  return { tasks: drawn, edges: inside(near), around: start.title }
}

/** So many are drawn with their words. */
export const MAX_NODES = 300
const MAX_NEAR = 120
