import type { Hive } from "../hive/hive.ts"
import { PAGE_MARK } from "../store/files/dashboard-file.ts"
import { readPageFiles } from "./page-files.ts"
import { projectOf } from "./project.ts"
import { routes } from "./routes.ts"

/** The page with what it shows, as one file that needs no server: for a colleague, or a pull request. */
export async function snapshotPage(hive: Hive): Promise<string> {
  const files = readPageFiles()
  const text = (path: string) => files.get(path)?.body.toString("utf8") ?? ""
  const answers = await answersOf(hive)
  return text("/index.html")
    .replace('<meta charset="utf-8" />', (charset) => `${charset}\n    ${PAGE_MARK}`)
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${text("/page.css")}</style>`)
    .replace(
      /<script type="module"[^>]*><\/script>/,
      () =>
        `<script type="application/json" id="snapshot">${inScript(JSON.stringify(answers))}</script>\n` +
        `<script type="module">${inScript(text("/page.js"))}</script>`,
    )
}

/** What the page would ask for, by its address. */
async function answersOf(hive: Hive): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  const ask = async (path: string): Promise<unknown> => {
    const { pathname, searchParams } = new URL(path, "http://127.0.0.1")
    const answer: unknown = await routes[pathname]?.(hive, searchParams)
    answers[path] = answer
    return answer
  }
  for (const path of ["/api/now", "/api/memory", "/api/timeline", "/api/context", "/api/health"])
    await ask(path)
  for (const plan of itemsIn(await ask("/api/plans")).slice(0, MAX_PLANS))
    await ask(`/api/plan?id=${plan.id}`)
  for (const task of [...hive.store.read().state.task.values()].slice(-MAX_TASKS))
    await ask(`/api/task?id=${task.id}`)
  for (const mem of itemsIn(answers["/api/memory"])) await ask(`/api/mem?id=${mem.id}`)
  const { id, name } = projectOf(hive)
  answers["/api/projects"] = { projects: [{ id, name, dir: "", isOpen: false }] }
  return answers
}

function itemsIn(answer: unknown): { id: string }[] {
  // Both lists have the same form; see model.ts.
  return (answer as { items: { id: string }[] }).items
}

/** Nothing in it can end the element that it stands in. */
function inScript(text: string): string {
  return text.replace(/<(?=\/script|!--|script)/gi, "\\u003c")
}

const MAX_PLANS = 50
const MAX_TASKS = 2000
