import { basename } from "node:path"
import { inboxIdOf } from "../../graph/inbox.ts"
import { derivedId, type Source } from "../../shared/ids.ts"
import { lineFrom, madeOf, textFrom } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { takeDecision, takeDocument } from "./backlog-knowledge.ts"
import { configOf, pagesIn } from "./backlog-pages.ts"
import { isOpen } from "./backlog-status.ts"
import { takeTask } from "./backlog-task.ts"
import { dateOf, type Folder, nameOf, type TaskPage, waitsOf } from "./backlog-task-page.ts"
import { type Page, sectionsOf } from "./front-matter.ts"
import { circularParents, freeNames, orderWork } from "./order.ts"
import { phaseTaken, planTaken } from "./records.ts"
import { joined, takeText } from "./work-item.ts"

/**
 * The folder of Backlog.md: a Markdown file for each task, draft, milestone, decision and document. The project is a plan,
 * its milestones are phases; decisions become mems, documents stay where they are and are registered.
 */
export async function* readBacklog(root: string, source: Source, dir: string): AsyncGenerator<Found> {
  const now = new Date(source.now()).toISOString()
  const config = await configOf(root)
  const tasks = new Map<string, TaskPage>()
  yield* readTasks(root, tasks)
  const dates = [...tasks.values()].flatMap(({ fields }) => dateOf(fields["created_date"]) ?? [])
  // A project has no date of its own: it is as old as its oldest task.
  const made = madeOf({ created: dates.sort()[0] }, now)
  const plan = derivedId("backlog", config.name)
  // With each that needs it, so that it is there whichever of them is refused; it is written once.
  const above = planTaken({ id: plan, title: lineFrom(config.name, MAX_TITLE).line, ...made })
  if (config.fault !== undefined) yield { from: config.file, quarantine: config.fault, original: config.text }
  else if (config.file !== "") yield { from: config.file, take: above }

  const place: Place = { plan, above, phases: new Map(), tasks, statuses: config.statuses, now, made }
  for (const folder of ["milestones", "archive/milestones"])
    for await (const file of pagesIn(root, folder))
      yield "page" in file ? takeMilestone(file.page, file.from, place) : file.found
  yield* takeTasks(place)
  for await (const file of pagesIn(root, "decisions"))
    yield "page" in file ? takeDecision(file.page, file.from, now) : file.found
  for await (const file of pagesIn(root, "docs")) {
    if (!("page" in file)) yield file.found
    else
      yield {
        from: file.from,
        take: [...above, ...takeDocument(file.page, { root, dir, from: file.from, plan, now })],
      }
  }
}

interface Place {
  plan: string
  /** The plan's own records. */
  above: Taken[]
  /** Ids of milestones, by name and by title. */
  phases: Map<string, string>
  tasks: ReadonlyMap<string, TaskPage>
  statuses: readonly string[]
  now: string
  made: ReturnType<typeof madeOf>
}

/** Puts all tasks into `tasks`; yields what is none. */
async function* readTasks(root: string, tasks: Map<string, TaskPage>): AsyncGenerator<Found> {
  const free = freeNames()
  for (const folder of TASK_FOLDERS) {
    for await (const file of pagesIn(root, folder)) {
      if (!("page" in file)) {
        yield file.found
        continue
      }
      const { fields, body } = file.page
      const name = textFrom(fields["id"])
      const first = name === undefined ? undefined : tasks.get(nameOf(name))
      if (name === undefined) yield { from: file.from, quarantine: "a task without an id", original: fields }
      else if (first?.body === body && first.fields["title"] === fields["title"])
        yield { from: file.from, ignore: "the same task lies in another folder too" }
      else {
        const key = free(nameOf(name))
        const id = derivedId("backlog", key, textFrom(fields["created_date"]) ?? "")
        const isSecond = first !== undefined
        tasks.set(key, { id, name, isSecond, fields, body, folder, from: file.from, ...waitsOf(fields) })
      }
    }
  }
  // Where a task does not say what it is a part of, its number does: 2.1 is a part of 2.
  for (const [key, task] of tasks) {
    const above = key.replace(/\.\d+(#\d+)?$/, "")
    if (task.parent === null && above !== key && tasks.has(above)) task.parent = above
  }
  for (const key of circularParents(tasks)) (tasks.get(key) as TaskPage).parent = null
}

function* takeTasks(place: Place): Generator<Found> {
  const { plan, above, phases, tasks, made } = place
  const { order, notWaitedFor } = orderWork(tasks)
  const byNumber = new Intl.Collator("en", { numeric: true }).compare
  const places = new Map([...tasks.keys()].sort(byNumber).map((key, at) => [key, at]))
  for (const key of order) {
    const task = tasks.get(key) as TaskPage
    const milestone = milestoneOf(task, tasks)
    const known = milestone === undefined ? inboxIdOf(plan) : phases.get(milestone.toLowerCase())
    const phase = known ?? milestoneId(plan, milestone ?? "")
    const title = lineFrom(milestone ?? "", MAX_TITLE).line
    // Older projects have no files of milestones.
    const before =
      known === undefined ? [phaseTaken({ id: phase, parent_plan_id: plan, title, order: 1, ...made })] : []
    const left = notWaitedFor.get(key) ?? new Set()
    const { take, note } = takeTask(task, {
      ...place,
      phase,
      left,
      first: made.created_at,
      place: places.get(key) ?? 0,
    })
    const from = `${task.from} (${task.name})`
    yield { from, take: [...above, ...before, ...take], ...(note === undefined ? {} : { note }) }
  }
}

/** One that was put away is completed, unless there is something to do in it. */
function takeMilestone({ fields, body }: Page, from: string, place: Place): Found {
  const { plan, above, phases, tasks, statuses, made } = place
  const name = textFrom(fields["id"]) ?? basename(from, ".md")
  const title = textFrom(fields["title"]) ?? name
  const id = milestoneId(plan, name)
  const names = [name, title].map((each) => each.toLowerCase())
  for (const each of names) phases.set(each, id)
  const isOver =
    from.startsWith("archive") &&
    ![...tasks.values()].some(
      (task) => isOpen(task, statuses) && names.includes(milestoneOf(task, tasks)?.toLowerCase() ?? ""),
    )
  const phase = phaseTaken({
    id,
    parent_plan_id: plan,
    title: lineFrom(title, MAX_TITLE).line,
    order: phases.size,
    status: isOver ? "completed" : "planned",
    ...made,
  })
  const due = textFrom(fields["due_date"])
  const said = sectionsOf(body).map(({ text }) => text)
  // What the tool itself puts there says nothing.
  const own = [
    ...said.filter((each) => each !== `Milestone: ${title}`),
    ...(due === undefined ? [] : [`Due ${due}`]),
  ]
  const text = own.length === 0 ? "" : joined([`${name} "${title}":`, ...own])
  const about = { tags: [name], created: undefined, fallback: made.created_at, related_to: [id] }
  const note =
    from.startsWith("archive") && !isOver ? { note: "an archived milestone with open tasks stays open" } : {}
  return {
    from: `${from} (${name})`,
    take: [...above, phase, ...takeText("backlog", text, { ...about, kind: "fact" })],
    ...note,
  }
}

function milestoneId(plan: string, name: string): string {
  return derivedId("backlog", "milestone", plan, name.toLowerCase())
}

/** Its own, or that of what it is a part of. */
function milestoneOf(task: TaskPage, tasks: ReadonlyMap<string, TaskPage>): string | undefined {
  for (let at: TaskPage | undefined = task; at !== undefined; at = tasks.get(at.parent ?? "")) {
    const milestone = textFrom(at.fields["milestone"])
    if (milestone !== undefined) return milestone
  }
  return undefined
}

const TASK_FOLDERS: readonly Folder[] = ["tasks", "completed", "drafts", "archive/tasks", "archive/drafts"]
const MAX_TITLE = 480
