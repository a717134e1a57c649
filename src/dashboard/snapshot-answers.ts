import type { Hive } from "../hive/hive.ts"
import { recordIdOf } from "../schemas/op.ts"
import type { ContextView, MemView, Page, PlanRow, TimelineItem } from "./answers/model.ts"
import { routes } from "./routes.ts"

/** What the page would ask for, by its address. What it offers there has to be in here; see page/data/snapshot.ts. */
export async function snapshotAnswers(hive: Hive): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  const ask = async <T>(path: string): Promise<T> => {
    const { pathname, searchParams } = new URL(path, "http://127.0.0.1")
    answers[path] = await routes[pathname]?.(hive, searchParams)
    // The page has the same types from model.ts.
    return answers[path] as T
  }
  for (const path of ["/api/now", "/api/health"]) await ask(path)
  for (const { id } of (await ask<Page<PlanRow>>("/api/plans")).items.slice(0, MAX_PLANS))
    await ask(`/api/plan?id=${id}`)
  for (const { id } of [...hive.store.read().state.task.values()].slice(-MAX_TASKS))
    await ask(`/api/task?id=${id}`)
  answers["/api/memory"] = await wholeList<{ id: string }>(hive, "/api/memory")
  for (const { id } of (answers["/api/memory"] as Page<{ id: string }>).items) {
    const { links } = await ask<MemView>(`/api/mem?id=${id}`)
    // Also those that it replaces.
    for (const link of links.filter(({ kind }) => kind === "mem").slice(0, MAX_LINKED))
      await ask(`/api/mem?id=${link.id}`).catch(() => {}) // It is gone; then it is not offered.
  }
  answers["/api/timeline"] = await storyOf(hive)
  await addContext(ask, answers)
  return answers
}

/** All pages as one, up to a bound. */
async function wholeList<T>(hive: Hive, path: string, asked: Record<string, string> = {}): Promise<Page<T>> {
  const answer = async (page: number) =>
    (await routes[path]?.(hive, new URLSearchParams({ ...asked, page: String(page) }))) as Page<T>
  const first = await answer(1)
  const items = [...first.items]
  for (let page = 2; items.length < Math.min(first.total, MAX_ITEMS); page++) {
    const { items: more } = await answer(page)
    if (more.length === 0) break
    items.push(...more)
  }
  const kept = items.slice(0, MAX_ITEMS)
  return { ...first, items: kept, total: kept.length, more: 0 }
}

/** Every step with the records and the stamp that it can be asked for by. */
async function storyOf(
  hive: Hive,
): Promise<Page<TimelineItem & { records: string[]; stamp: string | null }>> {
  const story = await wholeList<TimelineItem>(hive, "/api/timeline", { kind: "all" })
  const entries = await hive.store.log({ limit: MAX_ITEMS })
  const records = new Map(
    entries.map(({ id, ops }) => [id, ops.flatMap((op) => ("kind" in op ? [recordIdOf(op)] : []))]),
  )
  const stamps = new Map(
    [...hive.store.read().state.session.values()].map(({ host_id, stamp }) => [host_id, stamp]),
  )
  // Snapshots stay here: nothing can be restored from an exported file, and they may name files that git ignores.
  const told = story.items.filter(({ kind }) => kind !== "snapshot")
  const items = told.map((item) => ({
    ...item,
    records: [...new Set(records.get(item.id))],
    stamp: item.session === null ? null : (stamps.get(item.session) ?? null),
  }))
  return { ...story, items, total: items.length }
}

/** The newest sessions; others are not in its list. */
async function addContext(
  ask: <T>(path: string) => Promise<T>,
  answers: Record<string, unknown>,
): Promise<void> {
  const last = await ask<ContextView>("/api/context")
  const sessions = last.sessions.slice(0, MAX_SESSIONS)
  answers["/api/context"] = { ...last, sessions }
  const ids = new Set(sessions.map(({ host_id }) => host_id))
  if (last.session !== null) ids.add(last.session.host_id)
  for (const id of ids) {
    // Written as the page does.
    const session = new URLSearchParams({ session: id })
    const path = `/api/context?${session}`
    answers[path] = { ...(await ask<ContextView>(path)), sessions }
    await ask(`/api/drift?${session}`)
  }
}

const MAX_PLANS = 50
const MAX_TASKS = 2000
const MAX_ITEMS = 1000
const MAX_LINKED = 10
const MAX_SESSIONS = 10
