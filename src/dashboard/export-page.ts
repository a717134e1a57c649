import { createHash } from "node:crypto"
import type { Hive } from "../hive/hive.ts"
import { recordIdOf } from "../schemas/op.ts"
import { PAGE_MARK } from "../store/files/dashboard-file.ts"
import type { ContextView, MemView, Page, PlanRow, TimelineItem } from "./answers/model.ts"
import { pageJson, readPageFiles } from "./page-files.ts"
import { routes } from "./routes.ts"

/** The page with its data as one file that needs no server: for a colleague, or a pull request. */
export async function exportedPage(hive: Hive): Promise<string> {
  const files = readPageFiles()
  const text = (path: string) => files.get(path)?.body.toString("utf8") ?? ""
  const [style, script] = [text("/page.css"), inScript(text("/page.js"))]
  const data = inScript(withoutPath(hive, pageJson(await exportedAnswers(hive))))
  return text("/index.html")
    .replace(
      '<meta charset="utf-8" />',
      (charset) => `${charset}\n    ${PAGE_MARK}\n    ${policyFor(script, style)}`,
    )
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(
      /<script type="module"[^>]*><\/script>/,
      () =>
        `<script type="application/json" id="snapshot">${data}</script>\n` +
        `<script type="module">${script}</script>`,
    )
}

/** Only this script and this style run, and nothing is loaded or sent, wherever the file is opened. */
function policyFor(script: string, style: string): string {
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; form-action 'none'; base-uri 'none'`
  return `<meta http-equiv="content-security-policy" content="${policy}" />`
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`
}

/** Replaces the project's path: it reveals details of its owner's machine. */
function withoutPath({ home, dir }: Hive, json: string): string {
  return [home, dir].reduce((text, path) => text.replaceAll(JSON.stringify(path).slice(1, -1), "."), json)
}

/** Escapes text that could end the script element. */
function inScript(text: string): string {
  return text.replace(/<(?=\/script|!--|script)/gi, "\\u003c")
}

/** The answers that the page asks for, by address; page/data/exported.ts reads them. */
async function exportedAnswers(hive: Hive): Promise<Record<string, unknown>> {
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
    // Also archived mems that it supersedes.
    for (const link of links.filter(({ kind }) => kind === "mem").slice(0, MAX_LINKED))
      await ask(`/api/mem?id=${link.id}`).catch(() => {}) // It was purged; the page shows no link then.
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

/** Every step with its records and the stamp of its session, which the page filters by. */
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
  // Without snapshots: nothing can be restored from a file, and they may name files that git ignores.
  const shown = story.items.filter(({ kind }) => kind !== "snapshot")
  const items = shown.map((item) => ({
    ...item,
    records: [...new Set(records.get(item.id))],
    stamp: item.session === null ? null : (stamps.get(item.session) ?? null),
  }))
  return { ...story, items, total: items.length }
}

/** Lists and answers the newest sessions only. */
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
    // The same encoding as in the page.
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
