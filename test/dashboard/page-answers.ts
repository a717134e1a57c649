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
      case "/api/context":
        return story.context
      case "/api/drift":
        return story.drift
      case "/api/replay":
        return story.replay(Number(params.get("turn")))
      case "/api/doctor":
        return story.doctor
      case "/api/health":
        return story.health
      default:
        return undefined
    }
  }
}

function paged<T>(all: readonly T[], params: URLSearchParams): Page<T> {
  const end = Number(params.get("page") ?? 1) * PAGE
  return { items: all.slice(end - PAGE, end), total: all.length, more: Math.max(0, all.length - end) }
}

const PAGE = 50
