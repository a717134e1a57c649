import type { Hive } from "../hive/hive.ts"
import { waiting } from "../queue/queue.ts"
import { findDriftBegin, replayTurn } from "../views/context/turns.ts"
import { listPlans } from "../views/lists/plans.ts"
import { contextAnswer } from "./answers/context.ts"
import { healthAnswer } from "./answers/health.ts"
import { memAnswer, memoryAnswer } from "./answers/memory.ts"
import { nowAnswer } from "./answers/now.ts"
import { planAnswer, taskAnswer } from "./answers/plans.ts"
import { restoreAnswer, timelineAnswer } from "./answers/timeline.ts"
import { commandAnswer } from "./commands.ts"

/** The GET routes of the server, by path. None changes the hive; `restore` takes a snapshot to compare files with. */
export const routes: Readonly<Record<string, (hive: Hive, asked: URLSearchParams) => unknown>> = {
  "/api/now": (hive) => nowAnswer(hive, waiting(hive).length),
  "/api/plans": (hive) => listPlans(hive, {}, { limit: MAX_PLANS, page: 1 }),
  "/api/plan": (hive, asked) => planAnswer(hive, text(asked, "id")),
  "/api/task": (hive, asked) => taskAnswer(hive, text(asked, "id")),
  "/api/memory": (hive, asked) =>
    memoryAnswer(hive, { ...texts(asked, "q", "kind", "shelf", "status"), page: page(asked) }),
  "/api/mem": (hive, asked) => memAnswer(hive, text(asked, "id")),
  "/api/timeline": (hive, asked) =>
    timelineAnswer(hive, { ...texts(asked, "session", "record", "find", "kind"), page: page(asked) }),
  "/api/context": (hive, asked) => contextAnswer(hive, text(asked, "session")),
  "/api/replay": (hive, asked) => replayTurn(hive, text(asked, "session"), text(asked, "turn")),
  "/api/drift": (hive, asked) => findDriftBegin(hive, text(asked, "session")),
  "/api/restore": (hive, asked) => restoreAnswer(hive, text(asked, "id")),
  "/api/health": (hive) => healthAnswer(hive),
  "/api/command": (hive, asked) => commandAnswer(hive, text(asked, "id")),
}

const text = (asked: URLSearchParams, name: string): string => (asked.get(name) ?? "").slice(0, MAX_TEXT)

function texts<K extends string>(asked: URLSearchParams, ...names: K[]): Record<K, string> {
  return Object.fromEntries(names.map((name) => [name, text(asked, name)])) as Record<K, string>
}

function page(asked: URLSearchParams): number {
  const given = Number(asked.get("page") ?? 1)
  return Number.isInteger(given) && given >= 1 && given <= MAX_PAGE ? given : 1
}

const MAX_PLANS = 200
const MAX_TEXT = 500
const MAX_PAGE = 10_000
