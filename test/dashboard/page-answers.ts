import type {
  MemoryItem,
  MemoryView,
  Page,
  PlanRow,
  PlanView,
  TimelineView,
} from "../../src/dashboard/answers/model.ts"
import type { Answers } from "./page-server.ts"
import * as story from "./page-story.ts"

export interface Told {
  planView: PlanView
  mems: MemoryItem[]
  /** The plan that Now names, where it is another one. */
  nowPlan?: PlanRow
}

/** The story's answers, as the real server would page and filter them. `told` may be changed while the page looks. */
export function storyAnswers(told: Told): Answers {
  return (path, params) => {
    const id = params.get("id") ?? ""
    const find = (params.get("find") ?? params.get("q") ?? "").toLowerCase()
    switch (path) {
      case "/api/now":
        return { ...story.now, plan: told.nowPlan ?? story.now.plan }
      case "/api/plans":
        return paged(story.plans, params)
      case "/api/plan":
        return id === story.plans[1]?.id ? story.otherPlanView : told.planView
      case "/api/task": {
        const row = told.planView.tasks.find((task) => task.id === id)
        return row && story.taskView(row)
      }
      case "/api/memory": {
        const found = told.mems
          .filter(({ kind }) => kind === (params.get("kind") ?? kind))
          .filter(({ content }) => find.split(" ").every((word) => content.toLowerCase().includes(word)))
          .map((item) => ({ ...item, why: find === "" ? null : `has the words “${find}”; recalled 7 times` }))
        return { ...paged(found, params), shelves: ["auth", "mail"] } satisfies MemoryView
      }
      case "/api/mem": {
        const item = told.mems.find((each) => each.id === id)
        return item && story.memView(item)
      }
      case "/api/timeline": {
        const items = story.timeline
          .filter(({ kind }) => kind === (params.get("kind") ?? kind))
          .filter((item) => JSON.stringify(item).toLowerCase().includes(find))
        return paged(items, params) satisfies TimelineView
      }
      case "/api/restore":
        return id === story.restore.id ? story.restore : undefined
      case "/api/replay":
        return story.replay(Number(params.get("turn")))
      default:
        return ALWAYS[path]
    }
  }
}

const ALWAYS: Readonly<Record<string, unknown>> = {
  "/api/context": story.context,
  "/api/drift": story.drift,
  "/api/doctor": story.doctor,
  "/api/health": story.health,
}

/** A plan of so many tasks, each waiting for one before it, and so many mems. */
export function manyAnswers(tasks: number, mems: number): Answers {
  const idOf = (at: number) => `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`
  const [task, mem] = [story.tasks[4], story.mems[2]]
  if (task === undefined || mem === undefined) throw new Error("the story is too short")
  const planView = {
    ...story.planView,
    tasks: Array.from({ length: tasks }, (_, at) => ({ ...task, id: idOf(at), title: `Task ${at} of many` })),
    edges: Array.from({ length: tasks - 1 }, (_, at) => {
      const [from, to] = [idOf(Math.floor(at / 2)), idOf(at + 1)]
      return { from, to, why: "depends_on" as const }
    }),
  }
  const contentOf = (at: number) => `Mem ${at}. ${mem.content}`
  const list = Array.from({ length: mems }, (_, at) => ({ ...mem, id: idOf(at), content: contentOf(at) }))
  return storyAnswers({ planView, mems: list })
}

function paged<T>(all: readonly T[], params: URLSearchParams): Page<T> {
  const end = Number(params.get("page") ?? 1) * PAGE
  return { items: all.slice(end - PAGE, end), total: all.length, more: Math.max(0, all.length - end) }
}

const PAGE = 50
