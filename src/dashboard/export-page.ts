import { createHash } from "node:crypto"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { recordIdOf } from "../schemas/op.ts"
import { PAGE_MARK } from "../store/files/text-file.ts"
import type { ContextView, MemView, Page, PlanRow, TimelineItem } from "./answers/model.ts"
import { pageJson, readPageFiles } from "./page-files.ts"
import { routes } from "./routes.ts"

/** Builds one HTML file with the page and its data. It needs no server and can be sent to others. */
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

/** A content security policy that allows only this script and style, and no requests at all. */
function policyFor(script: string, style: string): string {
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; form-action 'none'; base-uri 'none'`
  return `<meta http-equiv="content-security-policy" content="${policy}" />`
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** Replaces the project's absolute path by `.`, because it would reveal details of the user's machine. */
function withoutPath({ home, dir }: Hive, json: string): string {
  return [home, dir].reduce((text, path) => text.replaceAll(JSON.stringify(path).slice(1, -1), "."), json)
}

/** Escapes text that could end the script element. */
const inScript = (text: string): string => text.replace(/<(?=\/script|!--|script)/gi, "\\u003c")

/** The server's answers, by the address that the page requests. `page/data/exported.ts` reads them. */
async function exportedAnswers(hive: Hive): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  const ask = async <T>(path: string): Promise<T> => {
    const { pathname, searchParams } = new URL(path, "http://127.0.0.1")
    answers[path] = await routes[pathname]?.(hive, searchParams)
    // The cast is safe if the caller names the type that model.ts has for the route.
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
    // The links may lead to archived mems, which the memory list does not have.
    for (const link of links.filter(({ kind }) => kind === "mem").slice(0, MAX_LINKED))
      await ask(`/api/mem?id=${link.id}`).catch(() => {}) // The mem was purged: the page shows no link to it.
  }
  answers["/api/timeline"] = await storyOf(hive)
  await addContext(ask, answers)
  return answers
}

async function wholeList<T>(hive: Hive, path: string, asked: Record<string, string> = {}): Promise<Page<T>> {
  const answer = async (page: number) =>
    (await routes[path]?.(hive, new URLSearchParams({ ...asked, page: String(page) }))) as Page<T>
  let last = await answer(1)
  const items = [...last.items]
  for (let page = 2; last.more > 0 && items.length < MAX_ITEMS; page++) {
    last = await answer(page)
    items.push(...last.items)
  }
  const kept = items.slice(0, MAX_ITEMS)
  return { ...last, items: kept, total: kept.length, more: 0 }
}

/** The whole timeline. Every step also has its records and its session's stamp, so that the exported page can filter. */
async function storyOf(hive: Hive) {
  const story = await wholeList<TimelineItem>(hive, "/api/timeline", { kind: "all" })
  const entries = await hive.store.log({ limit: MAX_ITEMS })
  const records = new Map(
    entries.map(({ id, ops }) => [id, ops.flatMap((op) => ("kind" in op ? [recordIdOf(op)] : []))]),
  )
  const { state } = hive.store.read()
  // Snapshots are left out: an exported page cannot restore them, and they may name files that git ignores.
  const shown = story.items.filter(({ kind }) => kind !== "snapshot")
  const items = shown.map((item) => ({
    ...item,
    records: [...new Set(records.get(item.id))],
    stamp: sessionOf(state, item.session)?.stamp ?? null,
  }))
  return { ...story, items, total: items.length }
}

/** Adds the Context view's answers for the newest sessions. The exported page lists only these sessions. */
async function addContext(ask: <T>(path: string) => Promise<T>, answers: Record<string, unknown>) {
  const last = await ask<ContextView>("/api/context")
  const sessions = last.sessions.slice(0, MAX_SESSIONS)
  answers["/api/context"] = { ...last, sessions }
  const ids = new Set(sessions.map(({ host_id }) => host_id))
  if (last.session !== null) ids.add(last.session.host_id)
  for (const id of ids) {
    // The page looks answers up by address, so this must encode the session as the page does.
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
