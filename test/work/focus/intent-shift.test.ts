import { describe, expect, it } from "vitest"
import { headIdOf } from "../../../src/graph/read-head.ts"
import { addAgentsAndCommands } from "../../../src/hosts/opencode/agents.ts"
import type { Task } from "../../../src/schemas/task.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { findIntentShift } from "../../../src/work/focus/intent-shift.ts"
import { graphOf } from "../../support/graph.ts"
import { HINTS, ORDERS, OTHERS, TASKS } from "./messages.ts"

const SESSION = "ses_1"

function planWith(titles: readonly string[], { isAtFirst = true } = {}) {
  const g = graphOf()
  const plan = g.plan("Shop")
  const phase = g.phase(plan, "All")
  const tasks = titles.map((title, n) =>
    g.task(phase, title, n === 0 ? { status: "active", assigned_session_id: SESSION } : {}),
  )
  const head = {
    ...g.head("Ship", plan, phase, ...(isAtFirst ? tasks.slice(0, 1) : [])),
    id: headIdOf(SESSION),
  }
  g.state.trajectory.set(head.id, head)
  const shift = (text: string) => runToEnd(findIntentShift(g.state, SESSION, text))
  const moved = (text: string) => {
    const found = shift(text)
    return found?.action === "move" ? found.task.title : undefined
  }
  return { g, phase, tasks: tasks as [Task, ...Task[]], shift, moved }
}

const { shift, moved, tasks } = planWith(Object.values(TASKS))

describe("a message", () => {
  it.each(ORDERS)("that orders a task by name moves to it: %s", (text, task) => {
    expect(moved(text)).toBe(TASKS[task])
  })

  it.each(OTHERS)("that asks for no task does not move the read-head: %s", (text) => {
    expect(moved(text)).toBeUndefined()
  })

  it.each(HINTS)("that resembles an order gives a hint: %s", (text, task) => {
    expect(shift(text)).toMatchObject({ action: "hint", task: { title: TASKS[task] } })
  })
})

describe("a task", () => {
  it("is recognised by its short or full id", () => {
    const other = tasks[5] as Task
    expect(moved(`switch to ${shortId(other.id)}`)).toBe(other.title)
    expect(moved(`do task ${other.id} first`)).toBe(other.title)
    expect(moved(`${shortId(other.id)} is done`)).toBeUndefined()
  })

  it("with an exactly named title wins over a longer title; two with the same title are ambiguous", () => {
    const { moved } = planWith([
      "Build",
      "Fix the cart page",
      "Fix the cart page footer",
      "Add tests",
      "Add tests",
    ])
    expect(moved("wait, fix the cart page first")).toBe("Fix the cart page")
    expect(moved("wait, fix the cart page footer first")).toBe("Fix the cart page footer")
    expect(moved("switch to add tests")).toBeUndefined()
  })

  it("is recognised by all words of its title, or by all but one of four", () => {
    const { moved } = planWith(["Build", "Show monthly sales by country", "Send reminders daily"])
    expect(moved("switch to monthly sales by country")).toBe("Show monthly sales by country")
    expect(moved("wait, show monthly sales first")).toBe("Show monthly sales by country")
    expect(moved("switch to sales by country")).toBeUndefined()
    expect(moved("switch to the reminders")).toBeUndefined()
  })
})

it.each([
  "next task",
  "Next task please.",
  "ok, on to the next task",
  "let's start the next task now",
  "can you do the next task?",
  "nächste Aufgabe bitte",
  "volgende taak",
  "tâche suivante",
  "siguiente tarea, por favor",
])("a step in the plan: %s", (text) => {
  expect(planWith(["One", "Two", "Three"]).moved(text)).toBe("Two")
})

describe("text that the user did not write as an order", () => {
  it("HiveMind's own command templates do not move the read-head, even with an order as their argument", () => {
    const config: Parameters<typeof addAgentsAndCommands>[0] = {}
    addAgentsAndCommands(config)
    const templates = Object.values(config.command ?? {}).map(({ template }) => template)
    expect(templates.length).toBeGreaterThanOrEqual(3)
    for (const template of templates)
      expect(shift(template.replace("$ARGUMENTS", "wait, fix the UI first"))).toBeUndefined()
  })

  it("the middle of a long message counts as pasted, its end does not", () => {
    const log = "2026-02-11 14:30:01 INFO the worker has started\n".repeat(400)
    expect(moved(`Look at this:\n${log}\nok, switch to dark mode`)).toBe(TASKS.dark)
    expect(moved(`Look at this:\n${log}\nok, switch to dark mode\n${log}`)).toBeUndefined()
  })
})
