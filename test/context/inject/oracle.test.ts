import { expect, it } from "vitest"
import { decideInjection } from "../../../src/context/inject/decide.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import { isAnchorKept, isKnowledge, isOpenDecision } from "../../../src/graph/lifecycle.ts"
import { isReplaced, standingOf } from "../../../src/graph/mem-standing.ts"
import type { GraphState } from "../../../src/graph/state.ts"
import type { Trajectory } from "../../../src/schemas/session.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

/** What the model has been told of each thing, last word first: the attributes of its element. */
type Beliefs = Map<string, Told>
type Told = Partial<
  Record<"as" | "text" | "what" | "id" | "key" | "plan" | "phase" | "task" | "status" | "progress", string>
>

it("150 turns of work: nothing that the model was told and not told otherwise is untrue", () => {
  const { untrue } = live(1, 150)
  expect(untrue).toEqual([])
})

it("20 random graphs that others change between the turns, 45 turns each: the same", () => {
  const wrong = Array.from({ length: 20 }, (_, seed) => live(seed + 100, 45).untrue).flat()
  expect(wrong.length, wrong.slice(0, 10).join("\n")).toBe(0)
})

/** A session over a graph that changes at random before every message. */
function live(seed: number, turns: number): { untrue: string[] } {
  const random = randomFrom(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const g = graphOf()
  const plans = ["Login", "Billing"].map((title) => g.plan(title))
  const phases = plans.flatMap((plan) => ["API", "Page"].map((title) => g.phase(plan, title)))
  for (const phase of phases)
    for (let n = 0; n < 7; n++) g.task(phase, `Task ${n} of ${phase.title}`, { reason: null })
  const tasks = [...g.state.task.values()]
  let head: Trajectory = g.head("Add a login page", pick(plans), pick(phases), pick(tasks))
  const statuses = ["planned", "active", "blocked", "review", "completed", "failed", "invalidated"] as const
  const changes = [
    () => {
      const task = pick([...g.state.task.values()])
      g.state.task.set(task.id, { ...task, status: pick(statuses) })
    },
    () => {
      const task = pick([...g.state.task.values()])
      head = {
        ...head,
        active_plan_id: task.parent_plan_id,
        active_phase_id: task.parent_phase_id,
        active_task_ids: [task.id],
      }
    },
    () => {
      const plan = pick([...g.state.plan.values()])
      g.state.plan.set(plan.id, { ...plan, status: pick(["active", "completed"] as const) })
    },
    () => {
      const phase = pick([...g.state.phase.values()])
      g.state.phase.set(phase.id, { ...phase, status: pick(["active", "completed"] as const) })
    },
    () => void g.mem(`Fact ${random()}`, { stale_at: null, origin_task_id: pick(tasks).id }),
    () => {
      const mem = pick([...g.state.mem.values()])
      if (mem === undefined) return
      g.state.mem.set(mem.id, {
        ...mem,
        ...pick([
          { kind: "false_path" as const, reason: "it broke" },
          { status: "superseded" as const },
          { status: "invalidated" as const },
          { status: "active" as const, kind: "fact" as const },
        ]),
      })
    },
    () => void g.anchor(`KEY-${Math.floor(random() * 1e6)}`, `value ${random()}`),
    () => {
      const anchor = pick([...g.state.anchor.values()])
      if (anchor !== undefined)
        g.state.anchor.set(anchor.id, { ...anchor, status: pick(["active", "removed"] as const) })
    },
  ]
  const visible: Injection[] = []
  const beliefs: Beliefs = new Map()
  const untrue: string[] = []
  for (let turn = 1; turn <= turns; turn++) {
    for (let n = 0; n < 3; n++) pick(changes)()
    const injection = decideInjection({
      state: g.state,
      head,
      message: { id: `msg_${turn}`, text: "Go on" },
      visible,
      isFirst: turn === 1,
      score: 0,
      conversationTokens: 0,
      options: { now: T0 + turn * 60_000, budget: 6000, more: "ask" },
      commitAfterFiles: 50,
    })
    visible.push(injection)
    for (const part of injection.parts) read(beliefs, part)
    const wrong = contradictions(beliefs, g.state, head)
    if (wrong.length > 0) untrue.push(`turn ${turn}: ${wrong.join("; ")}`)
  }
  return { untrue }
}

function read(beliefs: Beliefs, text: string): void {
  if (text.startsWith("<hivemind_state")) beliefs.clear()
  if (!/^<hivemind_(state|delta)/.test(text)) return
  for (const line of text.split("\n")) {
    const tag = /^<(\w+)/.exec(line)?.[1]
    if (tag === undefined || tag.startsWith("hivemind") || tag === "left_out") continue
    const told: Told = Object.fromEntries(
      [...line.matchAll(/ (\w+)="([^"]*)"/g)].map(([, k = "", v = ""]) => [k, v]),
    )
    const what = tag === "was" ? (told.what ?? "") : tag
    const about = KINDS[what]
    if (about === undefined) continue
    const id = told.key ?? told.id ?? ""
    if (about === "anchor" || about === "mem") {
      if (tag === "was") beliefs.delete(`${about} ${id}`)
      else beliefs.set(`${about} ${id}`, { ...told, as: tag, text: line.replaceAll(/<[^>]*>/g, "") })
      continue
    }
    beliefs.set(`${about} ${id}`, { ...told, as: tag })
  }
}

const KINDS: Record<string, string> = {
  head: "head",
  plan: "plan",
  phase: "phase",
  task: "task",
  parent: "task",
  subtask: "task",
  next: "task",
  failed: "task",
  mem: "mem",
  avoid: "mem",
  decision: "mem",
  anchor: "anchor",
}

function contradictions(beliefs: Beliefs, state: GraphState, head: Trajectory): string[] {
  const wrong: string[] = []
  const records = [...state.plan.values(), ...state.phase.values(), ...state.task.values()]
  const byShort = new Map(records.map((record) => [shortId(record.id), record]))
  for (const [key, told] of beliefs) {
    const [kind, id = ""] = key.split(" ")
    const record = byShort.get(id)
    const say = (what: string) => void wrong.push(`${key} as ${told.as}: ${what}`)
    if (kind === "head") {
      const now = [head.active_plan_id, head.active_phase_id, head.active_task_ids[0]].map((each) =>
        shortId(each ?? ""),
      )
      if ([told.plan, told.phase, told.task].join() !== now.join()) say("elsewhere")
    } else if (kind === "anchor") {
      const anchor = [...state.anchor.values()].find((each) => each.key === id)
      if (!isAnchorKept(anchor) || anchor?.value !== told.text) say("removed or changed")
    } else if (kind === "mem") {
      const mem = [...state.mem.values()].find((each) => shortId(each.id) === id)
      if (mem === undefined) say("unknown")
      else if (told.as === "mem" && (!isKnowledge(mem) || isReplaced(state, mem.id))) say("no knowledge")
      else if (told.as === "avoid" && standingOf(mem) !== "false path") say("no false path")
      else if (told.as === "decision" && !isOpenDecision(mem)) say("not open")
    } else if (record !== undefined) {
      const status = told.as === "failed" ? "failed" : told.status
      if (status !== record.status) say(`told ${status}, is ${record.status}`)
      if (told.as === "phase" && told.progress !== progressOf(state, record.id)) say("progress")
    }
  }
  return wrong
}

function progressOf(state: GraphState, phase: string): string {
  const tasks = [...state.task.values()].filter(({ parent_phase_id }) => parent_phase_id === phase)
  return `${tasks.filter(({ status }) => status === "completed").length}/${tasks.length}`
}

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
