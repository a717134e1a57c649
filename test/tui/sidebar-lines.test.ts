import { describe, expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { readPanel } from "../../src/tui/read-panel.ts"
import { bar, sidebarLines } from "../../src/tui/sidebar-lines.ts"
import { memoryHive } from "../support/hive.ts"
import { aDelegation, by, uuid } from "../support/records.ts"
import { callTool } from "../tools/call-tool.ts"

const SESSION = "ses_1"

async function planTasks(hive: Hive, ...tasks: object[]) {
  const created = { action: "create", title: "Login", acceptance: [] }
  const { entity_id: plan_id } = await callTool(hive, "plan", created)
  return (await callTool(hive, "plan", { action: "plan_tasks", plan_id, tasks })).tasks
}

describe("the sidebar", () => {
  it("says so where there is no plan yet", async () => {
    const lines = sidebarLines(await readPanel(memoryHive(), SESSION))
    expect(lines.map(({ text }) => text)).toEqual(["HiveMind", "No plan yet"])
  })

  it("shows the plan with its progress, the task at hand, what is blocked and by what, and what comes next", async () => {
    const hive = memoryHive()
    const tasks = await planTasks(
      hive,
      { title: "Migrate", expected_output: "a table" },
      { title: "Route", expected_output: "a route" },
      { title: "Log out", expected_output: "a route", depends_on: ["#1"] },
      { title: "Docs", expected_output: "a page" },
    )
    await hive.store.write(by, (tx) => tx.set("task", tasks[0].entity_id, { status: "active" }))
    await hive.store.write(by, (tx) => tx.set("task", tasks[0].entity_id, { status: "completed" }))
    await callTool(hive, "task", { action: "start", task_id: tasks[1].entity_id })
    const lines = sidebarLines(await readPanel(hive, SESSION))
    expect(lines).toEqual([
      { text: "HiveMind", tone: "title" },
      { text: "Login", tone: "text" },
      { text: "███░░░░░░░ 1/4 tasks", tone: "good" },
      { text: "▶ Route", tone: "accent" },
      { text: '■ Log out: It depends on "Route", which is active.', tone: "warning" },
      { text: "→ Docs", tone: "muted" },
    ])
  })

  it("shows the window, what the turn carried, warnings, delegates and quarantine, and bounds each", async () => {
    const hive = memoryHive()
    const view = await readPanel(hive, SESSION)
    const warning = { severity: "high", text: "The same call 5 times" }
    const turn = { kind: "delta", tokens: 214, items: [{}, {}] }
    const lines = sidebarLines({
      ...view,
      window: { tokens: 170_000, window: 200_000, share: 0.85 },
      turn: turn as never,
      warnings: [warning, { ...warning, severity: "low" }] as never,
      delegates: [1, 2, 3, 4].map((n) => ({ agent: "explore", task: `Part ${n}` })),
      quarantined: 1,
    })
    expect(lines.slice(2)).toEqual([
      { text: "Window █████████░ 85 %", tone: "bad" },
      { text: "Sent this turn: delta, 214 tokens, 2 items", tone: "muted" },
      { text: "! The same call 5 times", tone: "bad" },
      { text: "! The same call 5 times", tone: "warning" },
      { text: "⇄ explore: Part 1", tone: "accent" },
      { text: "⇄ explore: Part 2", tone: "accent" },
      { text: "⇄ explore: Part 3", tone: "accent" },
      { text: "  and 1 delegate more", tone: "muted" },
      { text: "✗ 1 part in quarantine", tone: "bad" },
    ])
  })

  it("shows the delegates that this session has at work, and no others", async () => {
    const hive = memoryHive()
    const tasks = await planTasks(hive, { title: "Look around", expected_output: "a list" })
    await hive.store.write(by, (tx) => {
      const given = { task_id: tasks[0].entity_id, to_agent: "explore", session_id: SESSION }
      tx.add("delegation", aDelegation(1, 0, given))
      tx.add("delegation", aDelegation(2, 0, { ...given, session_id: "ses_2" }))
      tx.add("delegation", aDelegation(3, 0, { ...given, status: "assigned" }))
    })
    expect((await readPanel(hive, SESSION)).delegates).toEqual([{ agent: "explore", task: "Look around" }])
  })

  it("no text of a record reaches the terminal as control characters", async () => {
    const hive = memoryHive()
    await callTool(hive, "session", { action: "start", intent: "x" })
    const view = await readPanel(hive, SESSION)
    const plan = { id: uuid(1), title: "Evil \u001b[2J\u0007\ntitle", status: "active" }
    const texts = sidebarLines({ ...view, status: { ...view.status, plan } }).map(({ text }) => text)
    expect(texts.join("|")).not.toMatch(/\p{Cc}/u)
    expect(texts[1]).toContain("title")
  })
})

it("a bar is full only if all is done, and empty only if nothing is", () => {
  expect([bar(0, 9), bar(1, 99), bar(98, 99), bar(99, 99)]).toEqual([
    ...["░░░░░░░░░░", "█░░░░░░░░░", "█████████░", "██████████"],
  ])
})
