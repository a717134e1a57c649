import { storyAnswers } from "./page-answers.ts"
import type { Answers } from "./page-server.ts"
import * as story from "./page-story.ts"

/** A plan of so many tasks, each waiting for one before it, and so many mems. */
export function manyAnswers(tasks: number, mems: number): Answers {
  const idOf = (at: number) => `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`
  const [task, mem] = [story.tasks[4], story.mems[2]]
  if (task === undefined || mem === undefined) throw new Error("the story is too short")
  const planView = {
    ...story.planView,
    tasks: Array.from({ length: tasks }, (_, at) => ({ ...task, id: idOf(at), title: `Task ${at} of many` })),
    edges: Array.from({ length: tasks - 1 }, (_, at) => ({
      from: idOf(Math.floor(at / 2)),
      to: idOf(at + 1),
      why: "depends_on" as const,
    })),
  }
  const list = Array.from({ length: mems }, (_, at) => ({
    ...mem,
    id: idOf(at),
    content: `Mem ${at}. ${mem.content}`,
  }))
  return storyAnswers({ planView, mems: list })
}
