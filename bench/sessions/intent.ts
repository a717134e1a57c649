import { createHash } from "node:crypto"
import { headIdOf } from "../../src/graph/read-head.ts"
import type { Task } from "../../src/schemas/task.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { countTokens } from "../../src/shared/text/tokens.ts"
import { taskHint } from "../../src/turns/user-message.ts"
import { findIntentShift } from "../../src/work/focus/intent-shift.ts"
import { graphOf } from "../../test/support/graph.ts"
import { count, figure, mean } from "../figures.ts"
import type { Bar, Figures } from "../section.ts"
import { type RecordedSession, readRecordedSessions } from "./read-sessions.ts"

/**
 * How often a real user message moves the read-head, and how often the model gets a hint, with two task lists: the
 * session's own, and a backlog of other sessions' tasks.
 */
export async function measure(): Promise<{
  rows: string[][]
  bars: Bar[]
  notes: string[]
  list: string[]
  figures: Figures
}> {
  const sessions = readRecordedSessions() ?? []
  const replays = LISTS.map(({ name, titlesBefore }) => ({ name, ...replay(sessions, titlesBefore) }))
  const shifts = replays.flatMap((each) => [...each.moves, ...each.hints])
  const wrong = replays.flatMap(({ moves }) => moves).filter((move) => !RIGHT_MOVES.has(keyOf(move)))
  const share = Math.max(...replays.map(({ hints, prompts }) => (hints.length / prompts) * 100))
  const hintTokens = mean(shifts.map(({ task }) => countTokens(taskHint(task))))
  const orders = orderedByTitle(sessions)
  return {
    rows: [
      ...replays.flatMap(({ name, prompts, moves, hints }) => [
        [`moves of the read-head, ${name}`, count(moves.length), `${count(prompts)} prompts`],
        [`hints, ${name}`, `${figure((hints.length / prompts) * 100)} %`, `${hints.length} prompts`],
      ]),
      ["tokens of a hint", figure(hintTokens), "mean"],
      ...orders.map(({ order, moved, all }) => [`"${order}"`, count(moved), `of ${count(all)} titles move`]),
    ],
    bars: [
      { what: "wrong moves of the read-head", value: wrong.length, unit: "", atMost: 0 },
      { what: "prompts with a hint, the worse list", value: share, unit: "%", atMost: 5 },
    ],
    notes: [
      "Intent: every user message of the recorded sessions is replayed, with the tasks that the session had planned or was asked for by then, and with 40 tasks made from other sessions' first prompts. A move counts as wrong until somebody has read it.",
      "The orders are made from the titles of the tasks that the agents planned; an order moves if the read-head goes to that very task.",
    ],
    list: shifts.map(
      (each) =>
        `${each.action} ${keyOf(each)} ${each.session}  «${oneLine(each.prompt)}» → ${each.task.title}`,
    ),
    figures: {
      wrong_moves: wrong.length,
      hint_tokens: hintTokens,
      ...Object.fromEntries(
        replays.map(({ name, prompts, moves, hints }) => [
          name,
          { prompts, moves: moves.length, hints: hints.length },
        ]),
      ),
      orders: Object.fromEntries(orders.map(({ order, moved, all }) => [order, { moved, all }])),
    },
  }
}

interface Shift {
  action: "move" | "hint"
  session: string
  prompt: string
  task: Task
}

type TitlesBefore = (sessions: readonly RecordedSession[], index: number, at: number) => string[]

function replay(sessions: readonly RecordedSession[], titlesBefore: TitlesBefore) {
  const found: Shift[] = []
  let prompts = 0
  sessions.forEach(({ session, events }, index) => {
    const { add, shift } = someWork()
    events.forEach(({ user }, at) => {
      if (user === undefined) return
      prompts++
      for (const title of titlesBefore(sessions, index, at)) add(title)
      const to = shift(user)
      if (to !== undefined) found.push({ ...to, session: session.slice(0, 8), prompt: user })
    })
  })
  const moves = found.filter(({ action }) => action === "move")
  return { prompts, moves, hints: found.filter(({ action }) => action === "hint") }
}

/** A plan with a task at hand that no message names, and other tasks to be added. */
function someWork() {
  const g = graphOf()
  const plan = g.plan("Plan")
  const phase = g.phase(plan, "Phase")
  const here = g.task(phase, "Zzyzx", { status: "active", assigned_session_id: SESSION })
  g.state.trajectory.set(headIdOf(SESSION), {
    ...g.head("Work", plan, phase, here),
    id: headIdOf(SESSION),
  })
  const titles = new Set<string>()
  return {
    add(title: string): void {
      if (!titles.has(title)) g.task(phase, title)
      titles.add(title)
    },
    shift: (text: string) => runToEnd(findIntentShift(g.state, SESSION, text)),
  }
}

/** Orders made from the titles of the tasks that the agents planned, each among the session's others. */
function orderedByTitle(sessions: readonly RecordedSession[]) {
  const results = ORDERS.map((order) => ({ order, moved: 0, all: 0 }))
  for (const { events } of sessions) {
    const titles = [
      ...new Set(events.flatMap(({ call, description = "" }) => plannedTitle(call, description))),
    ]
    const { add, shift } = someWork()
    for (const title of titles) add(title)
    for (const result of results)
      for (const title of titles) {
        const to = shift(result.order.replace("…", title))
        result.all++
        if (to?.action === "move" && to.task.title === title) result.moved++
      }
  }
  return results
}

/** What the agent has planned or delegated, and what the user has asked for. */
function ownTitles(sessions: readonly RecordedSession[], index: number, at: number): string[] {
  return (sessions[index]?.events.slice(0, at) ?? []).flatMap(({ call, description = "", user, kind }) => {
    if (user === undefined) return plannedTitle(call, description)
    if (kind === "plan") return planItems(user)
    return kind === undefined || kind === "rejection" ? titleFrom(user) : []
  })
}

function backlog(sessions: readonly RecordedSession[], index: number): string[] {
  const others = [...sessions.slice(index + 1), ...sessions.slice(0, index)]
  const titles = others.flatMap(({ events }) => {
    const requests = events.flatMap(({ user, kind }) =>
      user === undefined || kind !== undefined ? [] : titleFrom(user),
    )
    return requests.slice(0, 1)
  })
  return titles.slice(0, BACKLOG_SIZE)
}

function plannedTitle(call: string | undefined, description: string): string[] {
  return call === "TaskCreate" || call === "Task" ? titleFrom(description) : []
}

function planItems(text: string): string[] {
  const items = text.matchAll(/^(?:#{1,4}|[-*]|\d+\.)\s+(.{10,200})$/gm)
  return [...items].flatMap(([, item = ""]) => titleFrom(item)).slice(0, MAX_PLAN_ITEMS)
}

/** The first sentence without its politeness, cut to the length of a title. */
function titleFrom(text: string): string[] {
  const sentence = text.trim().split(/\n|(?<=[.!?])\s/)[0] ?? ""
  const plain = sentence
    .replace(POLITE, "")
    .replaceAll(/[`*"#]/g, "")
    .replace(/[.!?:]+$/, "")
  const title = plain.split(/\s+/).slice(0, MAX_TITLE_WORDS).join(" ").slice(0, MAX_TITLE_CHARS)
  return title.includes(" ") && title.length >= MIN_TITLE_CHARS ? [title] : []
}

function keyOf({ prompt, task }: Shift): string {
  return createHash("sha256").update(`${prompt}\n${task.title}`).digest("hex").slice(0, 12)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 120)
}

const LISTS = [
  { name: "the session's own tasks", titlesBefore: ownTitles },
  { name: "a backlog of other tasks", titlesBefore: backlog },
]
const ORDERS = ["switch to …", "please continue with … now", "leave this and do … first", "wait, … first"]
/** Moves that were read and found right. */
const RIGHT_MOVES: ReadonlySet<string> = new Set()
const SESSION = "ses_bench"
const POLITE =
  /^(?:(?:ok|okay|hey|now|so|yes|yeah|please|can you|could you|can we|could we|let's|i want to|i want you to|i'd like to|we should|we need to|also)[,\s]+)+/i
const BACKLOG_SIZE = 40
const MAX_PLAN_ITEMS = 30
const MAX_TITLE_WORDS = 10
const MAX_TITLE_CHARS = 100
const MIN_TITLE_CHARS = 8
