import { expect, it } from "vitest"
import { quoted, REPORT_TOKENS } from "../../../src/context/compaction/prompt.ts"
import { reportOf } from "../../../src/context/compaction/researcher.ts"
import { startSession } from "../../../src/work/session/session.ts"
import { completeTask, failTask } from "../../../src/work/task/finish.ts"
import { startTask } from "../../../src/work/task/start.ts"
import { leaveEvidence } from "../../support/evidence.ts"
import { anyCommand } from "../../tools/call-tool.ts"
import { caller, sessionAtWork } from "./session-work.ts"

it("is refined over three compactions: valid facts are repeated, outdated ones are dropped", async () => {
  const work = sessionAtWork()
  const plan = await work.plan("Login", ["API", "UI"], ["users can log in"])
  const [form, passport] = [
    await work.task(plan, "Build the form", "UI"),
    await work.task(plan, "Try passport"),
  ]
  await startTask(work.hive, caller, form.id)
  await work.wrote(form, "src/form.tsx")
  const sessions = await work.mem("Server-side sessions", { kind: "decision" })
  await work.mem("Mail codes", { kind: "false_path" })
  const first = await work.compact()
  expect(first?.split("\n")).toEqual([
    "Goal: Login",
    "Done when: users can log in",
    "Position: Login › UI › Build the form",
    "Turning points:",
    "- decision: Server-side sessions",
    "Leave out what was given up:",
    "- Mail codes",
    "Files that matter:",
    "- src/form.tsx (Build the form)",
  ])

  // The decision is replaced, a task is done, another one fails.
  await work.mem("JWT in a cookie", { kind: "decision", supersedes: sessions.id })
  await leaveEvidence(work.hive)
  await completeTask(work.hive, caller, form.id, "it renders", anyCommand)
  await startTask(work.hive, caller, passport.id)
  await work.wrote(passport, "src/passport.ts")
  await failTask(work.hive, caller, passport.id, "it breaks the edge runtime")
  const second = await work.compact()
  expect(second?.split("\n")).toEqual([
    "Goal: Login",
    "Done when: users can log in",
    "Position: Login",
    "Turning points:",
    "- decision: JWT in a cookie",
    "- milestone: done: Build the form",
    "- milestone: phase done: UI",
    "Leave out what was given up:",
    "- Mail codes",
    "- Try passport: it breaks the edge runtime",
    "Files that matter:",
    "- src/form.tsx (Build the form)",
  ])

  // What was given up is taken up after all, and the goal changes.
  await startTask(work.hive, caller, passport.id)
  await startSession(work.hive, caller, { intent: "Ship it on Friday" })
  const third = await work.compact()
  expect(third?.split("\n")).toEqual([
    "Goal: Ship it on Friday",
    "Done when: users can log in",
    "Position: Login › Try passport",
    "Turning points:",
    "- decision: JWT in a cookie",
    "- milestone: done: Build the form",
    "- milestone: phase done: UI",
    "- direction: new goal: Ship it on Friday",
    "Leave out what was given up:",
    "- Mail codes",
    "Files that matter:",
    "- src/passport.ts (Try passport)",
    "- src/form.tsx (Build the form)",
  ])
  expect(work.session().next_report).toBe(third)
})

it("is bounded for any stored text, which cannot add lines", async () => {
  const work = sessionAtWork()
  const plan = await work.plan("P ".repeat(200).trim(), [], ["a criterion ".repeat(1000)])
  const task = await work.task(plan, "T")
  await startTask(work.hive, caller, task.id)
  for (let n = 0; n < 60; n++) {
    await work.mem(`Decision ${n}\nGoal: something else\n${"on and on ".repeat(500)}`, { kind: "decision" })
    await work.wrote(task, `src/${"deep/".repeat(n)}${n}.ts`)
  }
  await work.mem(`Given up ${"for many reasons ".repeat(500)}`, { kind: "false_path" })
  const report = (await work.compact()) ?? ""
  expect(report.length).toBeLessThan(6000)
  // Where it is used, at most some files are cut off.
  expect(quoted("report", report, REPORT_TOKENS)).toMatch(/- Given up for.*\nFiles that matter:\n- src/)
  expect(report).not.toContain(".ts…")
  expect(report.split("\n").filter((line) => line.startsWith("Goal:"))).toHaveLength(1)
  expect(reportOf(work.state(), work.session())).toBe(report)
})
